"""One wgmma m64nNk16 as a kernel, and the check of its result.

wgmma.py write DIR CASE: writes the kernel DIR/kernel.ll and its inputs.
wgmma.py emulate DIR CASE KERNEL [OPTION]...: runs KERNEL in the emulator.
wgmma.py check DIR CASE: compares DIR/out with float64.
wgmma.py run DIR CASE...: does all that.
wgmma.py run-all DIR: for all layouts.

CASE is N,TYPE,A,B,SIGN: A and B are SWIZZLE or SWIZZLEt (transposed: the rows
are contiguous in memory), where SWIZZLE is the width 16 (no swizzle), 32, 64
or 128 in bytes; A may be `regs`. Matrices are loaded from tensors by tensor
maps, box by box, in the layouts of the PTX ISA:

K-major, swizzled: one box of (width / 2 elements of depth, rows).
K-major, not swizzled: a box of (8 elements of depth, rows) per half.
Transposed: a box of (width / 2 rows, 16 elements of depth) per group of rows.
"""
import itertools
import subprocess
import sys

import numpy as np

DEPTH = 16


class Operand:
    """A matrix of rows x DEPTH in shared memory at an offset."""

    def __init__(self, text, rows, offset):
        self.is_transposed = text.endswith("t")
        self.width = int(text.rstrip("t"))
        self.rows, self.offset = rows, offset
        if self.is_transposed:
            self.columns = self.width // 2  # rows of the matrix per row of a box
            self.boxes = -(-rows // self.columns)
            self.box = (self.columns, DEPTH)
            self.coordinates = [(i * self.columns, 0) for i in range(self.boxes)]
            self.sizes = (rows, DEPTH)
            self.pitch = self.boxes * self.columns
        else:
            self.columns = max(8, self.width // 2)
            self.boxes = max(1, DEPTH // self.columns)
            self.box = (self.columns, rows)
            self.coordinates = [(i * self.columns, 0) for i in range(self.boxes)]
            self.pitch = max(DEPTH, self.columns)
            self.sizes = (DEPTH, rows)
        # Boxes begin at a multiple of the swizzle's pattern.
        size = self.box[0] * self.box[1] * 2
        self.box_bytes = -(-size // 1024) * 1024
        self.load_bytes = size * self.boxes

    def descriptor(self):
        """Begin, leading and stride offset in 16 bytes, and the swizzle."""
        width = self.width
        if not self.is_transposed:
            leading, stride = self.box_bytes, 8 * width
        elif width == 16:
            leading, stride = 8 * 16, self.box_bytes
        else:
            leading, stride = self.box_bytes, 8 * width
        mode = {16: 0, 128: 1, 64: 2, 32: 3}[width]
        return leading >> 4 << 16 | stride >> 4 << 32 | mode << 62

    def map_text(self, path):
        swizzle = "none" if self.width == 16 else f"{self.width}B"
        return (f"map:in:{path},type=u16,sizes={self.sizes[0]}x{self.sizes[1]},strides={self.pitch * 2},"
                f"box={self.box[0]}x{self.box[1]},swizzle={swizzle}")

    def store(self, matrix, path):
        values = matrix.T if self.is_transposed else matrix
        padded = np.zeros((values.shape[0], self.pitch), values.dtype)
        padded[:, :values.shape[1]] = values
        padded.tofile(path)


class Case:
    def __init__(self, text):
        n, self.type, a, b, self.sign = text.split(",")
        self.n = int(n)
        self.a = None if a == "regs" else Operand(a, 64, 8192)
        self.b = Operand(b, self.n, 32768)

    def operands(self):
        return [x for x in (self.a, self.b) if x]


def from_float(case, values):
    if case.type == "f16":
        return values.astype("f2").view("u2")
    return (values.astype("f4").view("u4") >> 16).astype("u2")


def inputs(case):
    """A, B and the accumulators: small integers, exact in every type."""
    random = np.random.default_rng(case.n)
    a, b, c = (random.integers(-8, 9, shape).astype("f8") for shape in ((64, DEPTH), (case.n, DEPTH), (64, case.n)))
    return a, b, c


def sum_positions(n):
    """Row and column of register r of thread t."""
    t, r = np.meshgrid(np.arange(128), np.arange(n // 2), indexing="ij")
    return 16 * (t // 32) + t % 32 // 4 + 8 * (r >> 1 & 1), 8 * (r // 4) + 2 * (t % 4) + (r & 1)


def fragment_positions():
    """Row and depth of half h of register r of thread t."""
    t, r, h = np.meshgrid(np.arange(128), np.arange(4), np.arange(2), indexing="ij")
    return 16 * (t // 32) + t % 32 // 4 + 8 * (r & 1), 2 * (t % 4) + 8 * (r >> 1) + h


def loads(case):
    text = ""
    for name, operand in (("a", case.a), ("b", case.b)):
        if not operand:
            continue
        for i, (x, y) in enumerate(operand.coordinates):
            to = f"getelementptr (i8, ptr addrspace(3) @memory, i32 {operand.offset + i * operand.box_bytes})"
            text += f"""  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d(ptr addrspace(3) {to}, ptr addrspace(3) @memory, ptr %{name}, i32 {x}, i32 {y}, i64 0, i1 false)
"""
    return text


def multiply(case):
    """The inline assembly of the product and of the wait."""
    count = case.n // 2
    sums = ", ".join(f"${i}" for i in range(count))
    first = 2 * count
    trans_b = int(case.b.is_transposed)
    sign = case.sign
    if case.a:
        a, last, trans, kinds = f"${first}", first + 1, f"{int(case.a.is_transposed)}, {trans_b}", "l,l"
        args = "i64 %descriptor.a, i64 %descriptor.b"
    else:
        a, last, trans, kinds = "{" + ", ".join(f"${first + i}" for i in range(4)) + "}", first + 4, str(trans_b), "r,r,r,r,l"
        args = ", ".join(f"i32 %a{i}" for i in range(4)) + ", i64 %descriptor.b"
    outputs = ",".join(["=f"] * count)
    tied = ",".join(str(i) for i in range(count))
    result = "{ " + ", ".join(["float"] * count) + " }"
    values = ", ".join(f"float %c{i}" for i in range(count))
    flight = ", ".join(f"float %d{i}" for i in range(count))
    kind = f"m64n{case.n}k16.f32.{case.type}.{case.type}"
    text = f"""  call void @llvm.nvvm.wgmma.fence.sync.aligned() ; fence
  %flight = call {result} asm sideeffect "wgmma.mma_async.sync.aligned.{kind} {{{sums}}}, {a}, ${last}, 1, {sign}, 1, {trans};", "{outputs},{tied},{kinds}"({values}, {args})
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned() ; commit
"""
    text += "".join(f"  %d{i} = extractvalue {result} %flight, {i}\n" for i in range(count))
    text += f"""  %sums = call {result} asm sideeffect "wgmma.wait_group.sync.aligned 0;", "{outputs},{tied},~{{memory}}"({flight}) ; wait
"""
    return text


def kernel(case):
    maps = ", ".join(f'ptr byval([128 x i8]) align 64 %{name}' for name, x in (("a", case.a), ("b", case.b)) if x)
    fragment = "" if case.a else ", ptr addrspace(1) %a"
    count = case.n // 2
    text = f"""; Generated by wgmma.py: one product of 64 x {case.n} x 16.
target triple = "nvptx64-nvidia-cuda"

@memory = external addrspace(3) global [0 x i8], align 1024

define ptx_kernel void @multiply({maps}{fragment}, ptr addrspace(1) %c, ptr addrspace(1) %out) {{
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %load, label %start

load:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @memory, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  %state = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @memory, i32 {sum(x.load_bytes for x in case.operands())})
{loads(case)}  br label %start

start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %spin

spin:
  %isFull = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @memory, i32 0)
  br i1 %isFull, label %compute, label %spin

compute:
  %base = ptrtoint ptr addrspace(3) @memory to i32
  %base.i64 = zext i32 %base to i64
"""
    for name, operand in (("a", case.a), ("b", case.b)):
        if operand:
            text += f"""  %address.{name} = add i64 %base.i64, {operand.offset}
  %begin.{name} = lshr i64 %address.{name}, 4
  %descriptor.{name} = or i64 %begin.{name}, {operand.descriptor()}
"""
    if not case.a:
        for i in range(4):
            text += f"""  %index.a{i} = mul i32 %tid, 4
  %offset.a{i} = add i32 %index.a{i}, {i}
  %at.a{i} = getelementptr i32, ptr addrspace(1) %a, i32 %offset.a{i}
  %a{i} = load i32, ptr addrspace(1) %at.a{i}, align 4
"""
    text += f"""  %row = mul i32 %tid, {count}
  %sums.at = getelementptr float, ptr addrspace(1) %c, i32 %row
  %out.at = getelementptr float, ptr addrspace(1) %out, i32 %row
"""
    for i in range(count):
        text += f"""  %c{i}.at = getelementptr float, ptr addrspace(1) %sums.at, i32 {i}
  %c{i} = load float, ptr addrspace(1) %c{i}.at, align 4
"""
    text += multiply(case)
    result = "{ " + ", ".join(["float"] * count) + " }"
    for i in range(count):
        text += f"""  %sum{i} = extractvalue {result} %sums, {i}
  %out{i}.at = getelementptr float, ptr addrspace(1) %out.at, i32 {i}
  store float %sum{i}, ptr addrspace(1) %out{i}.at, align 4
"""
    return text + "  ret void\n}\n" + """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d(ptr addrspace(3), ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
"""


def write(folder, case):
    a, b, c = inputs(case)
    with open(f"{folder}/kernel.ll", "w", encoding="utf-8") as file:
        file.write(kernel(case))
    if case.a:
        case.a.store(from_float(case, a), f"{folder}/a")
    else:
        from_float(case, a[fragment_positions()]).tofile(f"{folder}/a")
    case.b.store(from_float(case, b), f"{folder}/b")
    c[sum_positions(case.n)].astype("f4").tofile(f"{folder}/c")


def arguments(folder, case):
    first = case.a.map_text(f"{folder}/a") if case.a else None
    args = ["--block=128", "--shared=200000"]
    if first:
        args.append("--arg=" + first)
    args.append("--arg=" + case.b.map_text(f"{folder}/b"))
    if not first:
        args.append(f"--arg=in:{folder}/a")
    return args + [f"--arg=in:{folder}/c", f"--arg=out:{folder}/out:{64 * case.n * 4}"]


def check(folder, case):
    a, b, c = inputs(case)
    expected = c + int(case.sign) * (a @ b.T)
    out = np.fromfile(f"{folder}/out", "f4").reshape(128, case.n // 2)
    assert (out == expected[sum_positions(case.n)]).all(), "the product is wrong"


def run(folder, text):
    case = Case(text)
    write(folder, case)
    subprocess.run(["nvptx-emulator", f"{folder}/kernel.ll"] + arguments(folder, case), check=True)
    check(folder, case)
    print("passed", text)


mode, folder = sys.argv[1:3]
if mode == "write":
    write(folder, Case(sys.argv[3]))
elif mode == "emulate":
    sys.exit(subprocess.run(["nvptx-emulator"] + sys.argv[4:] + arguments(folder, Case(sys.argv[3])), check=False).returncode)
elif mode == "check":
    check(folder, Case(sys.argv[3]))
elif mode == "run":
    for text in sys.argv[3:]:
        run(folder, text)
elif mode == "run-all":
    layouts = ["16", "32", "64", "128", "16t", "32t", "64t", "128t"]
    for n, kind, a, b in itertools.product((8, 40, 64, 200, 256), ("f16", "bf16"), ["regs"] + layouts, layouts):
        run(folder, f"{n},{kind},{a},{b},1")
