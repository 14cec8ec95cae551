"""Runs the kernels attention-sm80.ll and attention-sm90a.ll in the emulator.

attention.py run ARCH DIR LENGTH [SEED]: compares with float64.
attention.py plant ARCH DIR: plants each bug of BUGS into the kernel and
requires that the emulator, or the comparison, finds it.
"""
import os
import re
import subprocess
import sys

import numpy as np

HEADS, DEPTH = 2, 64
QUERIES = {"sm80": 64, "sm90a": 128}
LAUNCH = {"sm80": ["--block=128", "--shared=16384"], "sm90a": ["--block=384", "--shared=24648"]}
LENGTH = 100  # for planted bugs: neither a multiple of the queries nor of the keys of a tile
WRONG = "the result is wrong"

# Name, pattern, replacement, how often the pattern occurs, what is reported.
BUGS = {
    "sm80": [
        ("the wait for K is too weak", r"(tile:.*?wait.group\(i32) 1", r"\1 2", 1,
         "race in shared memory: read at offset .* unfinished asynchronous copy"),
        ("the wait for V is too weak", r"(chosen.14\).*?wait.group\(i32) 1", r"\1 2", 1,
         "race in shared memory: read at offset .* unfinished asynchronous copy"),
        ("no barrier after the wait for K", r"(tile:.*?)  call void @llvm.nvvm.barrier.*?\n", r"\1", 1, "race in shared memory"),
        ("no barrier after the wait for V", r"(chosen.14\).*?)  call void @llvm.nvvm.barrier.*?\n", r"\1", 1, "race in shared memory"),
        ("no commit after Q and K", r"  call void @llvm.nvvm.cp.async.commit.group\(\)\n(  %add.5 )", r"\1", 1,
         "race in shared memory: read at offset .* unfinished asynchronous copy"),
        ("the next K goes to the same stage", r"%xor.10 = xor i32 %stage, 1", "%xor.10 = xor i32 %stage, 0", 1, "race in shared memory"),
        ("one key too many", r"icmp sgt i32 %sub.6,", "icmp sge i32 %sub.6,", 4, WRONG),
        ("the last tile is missing", r"%add.1 = add i32 %length, 15", "%add.1 = add i32 %length, 0", 1, WRONG),
        ("rows beyond the length are read", r"(copy.k:.*?chosen.\d+ = select i1) %is.\d+", r"\1 true", 1, "access out of bounds"),
        ("rows beyond the length are stored", r"(store.low.end:.*?br i1) %is.\d+", r"\1 true", 1, "access out of bounds|race in global memory"),
        ("rows are not swizzled", r"(%xor\.[1-9] = xor i32 %\S+,) %and\.\d", r"\1 0", 9, "ldmatrix bank conflicts: [1-9]"),
        ("a row of ldmatrix is misaligned", r"(%mul.8 = mul i32 %add.6,) 128", r"\1 130", 1, "the address of a row of ldmatrix is misaligned"),
        ("V is not transposed", r"(output:.*?)x4.trans.b16", r"\1x4.b16", 1, WRONG),
        ("O is not rescaled", r"%exp.1 = call float.*", "%exp.1 = fadd float 1.0, 0.0", 1, WRONG),
    ],
    "sm90a": [
        ("the leading offset of V is wrong", r"(%or.4 = or i64 %wide.4,) 4611686293313683456", r"\1 4611686018435710976", 1, WRONG),
        ("the swizzle of K is missing", r"(%or.3 = or i64 %wide.3,) 4611686293305360384", r"\1 274882625536", 1,
         WRONG + "|race in shared memory|shared memory access out of bounds"),
        ("K begins inside of a pattern", r"%add.4 = add i32 %mul.5, 16384", "%add.4 = add i32 %mul.5, 16512", 1,
         "the descriptor of B of wgmma is wrong: offset .* inside of a pattern"),
        ("K is read from the other stage", r"%mul.5 = mul i32 %rem.2, 2048", "%mul.5 = mul i32 %rem.3, 2048", 1, "race in shared memory|" + WRONG),
        ("K is not released", r"  %state.5 = .*\n", "", 1, "deadlock"),
        ("V is not released", r"  %state.6 = .*\n", "", 1, "deadlock"),
        ("V is released before the wait", r"(tile.release:\n.*\n)",
         r"\1  %empty.v = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @memory, i64 24632), i32 %shl.3\n"
         r"  %early = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %empty.v)\n", 1,
         "race in shared memory: write at offset .* is not ordered after the read by wgmma|race in shared memory: read|more arrivals"),
        ("every thread releases K", r"br i1 %isLeader, label %tile.release, label %tile.softmax", "br label %tile.release", 1, "more arrivals at the mbarrier|race in shared memory|deadlock"),
        ("the wait for S is too weak", r"wait_group.sync.aligned 1;", "wait_group.sync.aligned 2;", 1,
         "the results of wgmma were never read|" + WRONG),
        ("the wait for O is too weak", r"(tile.output:.*?wait_group.sync.aligned) 0;", r"\1 1;", 1,
         WRONG + "|race in shared memory|mix registers"),
        ("no wait for O at the end", r"(last:.*?wait_group.sync.aligned) 0;", r"\1 1;", 1, "a thread exits while wgmma is in flight"),
        ("no fence before wgmma", r"  call void @llvm.nvvm.wgmma.fence.*\n", "", 4, "wgmma.fence is missing"),
        ("no commit", r"  call void @llvm.nvvm.wgmma.commit.*\n", "", 4, "a thread exits with wgmma that it did not commit|race in shared memory|results of wgmma|" + WRONG),
        ("no wait for Q", r"(first.product:\n.*\n)  call void asm.*\n", r"\1", 1, "race in shared memory: read at offset 0 is not ordered after the write by the copies"),
        ("no wait for V", r"(%shl.3 = .*\n.*\n)  call void asm.*\n", r"\1", 1, "race in shared memory: read at offset .* is not ordered after the write by the copies"),
        ("no wait for the release of K", r"(load.stage:(?:.*\n){10})  call void asm.*\n", r"\1", 1,
         "race in shared memory: write at offset .* is not ordered after the (read by wgmma|write by the copies)|more arrivals at the mbarrier"),
        ("the parity of the release is wrong", r"%xor.1 = xor i32 %and.1, 1", "%xor.1 = xor i32 %and.1, 0", 1, "deadlock"),
        ("too few bytes are expected", r"(%state.2 = .*i32) 2048", r"\1 1024", 1, "tx-count underflow"),
        ("too many bytes are expected", r"(%state.2 = .*i32) 2048", r"\1 4096", 1, "deadlock"),
        ("no fence after the initialization", r"  call void @llvm.nvvm.fence.mbarrier_init.*\n", "", 1, "fence.mbarrier_init is missing"),
        ("no barrier after the initialization", r"(start:\n)  call void @llvm.nvvm.barrier.*\n", r"\1", 1, "use of the mbarrier .* not ordered|there is no initialized mbarrier"),
        ("empty barriers expect one arrival", r"(24600\), i32) 2", r"\1 1", 1, "race in shared memory|more arrivals"),
        ("too many registers", r"inc.sync.aligned.u32\(i32 240\)", "inc.sync.aligned.u32(i32 256)", 1, "deadlock: .* at setmaxnreg.inc"),
        ("one key too many", r"icmp sgt i32 %sub.7,", "icmp sge i32 %sub.7,", 4, WRONG),
        ("the last tile is missing", r"%add.1 = add i32 %length, 15", "%add.1 = add i32 %length, 0", 1, WRONG),
        ("rows beyond the length are stored", r"(store.low.end:.*?br i1) %is.\d+", r"\1 true", 1, "access out of bounds|race in global memory"),
        ("the ping-pong has no first turn", r"(first.arrive:\n.*\n)  call void asm.*\n", r"\1", 1, "deadlock: .* at barrier.cta.sync"),
    ],
}


def tensors():
    random = np.random.default_rng(7)
    return {name: random.standard_normal((HEADS, 400, DEPTH)).astype("f2") for name in "qkv"}


def arguments(arch, folder, length):
    args = LAUNCH[arch] + [f"--grid={-(-length // QUERIES[arch])},{HEADS}"]
    for name in "qkv":
        path = f"{folder}/{name}"
        tensors()[name][:, :length].tofile(path)
        box = QUERIES[arch] if name == "q" else 16
        args.append(f"--arg=in:{path}" if arch == "sm80" else
                    f"--arg=map:in:{path},type=f16,sizes={DEPTH}x{length}x{HEADS},"
                    f"strides={DEPTH * 2}x{DEPTH * 2 * length},box={DEPTH}x{box}x1,swizzle=128B")
    scale = np.log2(np.e) / np.sqrt(DEPTH)
    return args + [f"--arg=out:{folder}/out:{HEADS * length * DEPTH * 2}", f"--arg=i32:{length}", f"--arg=f32:{scale}"]


def expected(length):
    q, k, v = (tensors()[name][:, :length].astype("f8") for name in "qkv")
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(DEPTH)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v


def run(arch, folder, kernel, length, seed):
    """The output of the emulator, and what the comparison says."""
    command = ["nvptx-emulator", kernel, f"--seed={seed}"] + arguments(arch, folder, length)
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    text = result.stdout + result.stderr
    if result.returncode:
        return text
    out = np.fromfile(f"{folder}/out", "f2").reshape(HEADS, length, DEPTH).astype("f8")
    error = np.abs(out - expected(length)).max()
    # Results below 4 and P are rounded to f16.
    return text + ("passed" if error <= 2e-3 else f"{WRONG}: the error is {error}")


def plant(arch, folder, source):
    missed = 0
    for name, pattern, replacement, count, report in BUGS[arch]:
        # `.*?` crosses lines, `.*` does not.
        text, found = re.subn(pattern, replacement, source, count=0 if count > 1 else 1,
                              flags=re.S if ".*?" in pattern else 0)
        assert found == count, f"{name}: the pattern occurs {found} times"
        with open(f"{folder}/planted.ll", "w", encoding="utf-8") as file:
            file.write(text)
        output = run(arch, folder, f"{folder}/planted.ll", LENGTH, 1).strip()
        is_found = re.search(report, output)
        missed += not is_found
        print("found:" if is_found else "missed:", f"{name}: {output.splitlines()[-1]}")
    assert not missed, f"{missed} bugs missed"


mode, arch, folder = sys.argv[1:4]
kernel = os.path.join(os.path.dirname(__file__), f"attention-{arch}.ll")
os.makedirs(folder, exist_ok=True)
if mode == "run":
    output = run(arch, folder, kernel, int(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else "0")
    print(output)
    sys.exit(not output.endswith("passed"))
else:
    with open(kernel, encoding="utf-8") as file:
        plant(arch, folder, file.read())
