"""Compiles the zoo's specs, runs the kernels on the exported cases, and grades.

usage: run.py ATTNC-RUN SPECS WORK [--all] [--readme README] [--only ID[,ID...]]
              [--interpret] [--update] [--target TRIPLE --mcpu LEVEL] [--every N]
              [--skip ID] [--backend NAME] [--shape N] [--dtype NAME]
              [--timeout SECONDS] [--jobs N]

SPECS is the folder with <variant>.yaml. Each is run in f32 on the second of the
three shapes that all variants have, and on the further shapes of its own; with
--all on every shape, and in bf16 on the second one. A variant is
  right           every output of every case is within the zoo's tolerance
  wrong           one is not, or the compiler or the kernel crashed
  refused         the compiler says that it cannot do it
  timeout         a case took longer than --timeout
  not expressible there is no spec
What is not right stands in status.txt with its reason, and what stands there
must be so: a variant that is refused otherwise, or works, fails the run, and so
does a README without the score line. --only says more about a few variants;
--interpret grades the compiler's reference in the place of the kernels; --update
writes what is refused today into status.txt, and the score into README. --target
and --mcpu run another platform's level in an emulator; --every runs each Nth variant,
--skip leaves one out; --backend selects a backend. What a backend or a level refuses
in addition is in status-NAME.txt, if there is such a file. --shape runs one shape
only (0 is the smallest), in --dtype, and --jobs limits the processes: for slow
emulators.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import zoo  # noqa: E402

# Names of the zoo's tensors in the specs, where they differ.
TENSORS = {"q": "Q", "k": "K", "v": "V", "o": "O", "a": "attention", "s": "score", "len": "length"}
RENAMED = {
    "luong-dot": {"h": "K"},
    "luong-general": {"h": "K", "w": "W"},
    "luong-concat": {"h": "K", "w": "W"},
    "bahdanau-additive": {"h": "K", "wa": "Wa", "ua": "Ua"},
    "bahdanau-padded": {"h": "K", "wa": "Wa", "ua": "Ua"},
    "chunked-prefill": {"n": "cached_keys"},
    "cosine-l2-qk": {"g": "gain"},
    "int8-kv": {"k": "K8", "v": "V8"},
    "paged-kv": {"kp": "K", "vp": "V"},
    "wo-concat": {"b": "bias"},
    "wo-per-head-sum": {"b": "bias"},
    "differential": {"g": "gain"},
    "linformer": {"k": "k_rows", "v": "v_rows"},
    "merge-states": {"lse": "total"},
    "persistent-memory": {"k": "k_rows", "v": "v_rows"},
    "shared-prefix": {"k": "k_rows", "v": "v_rows"},
    "linear-attention-unnormalised": {"k": "k_rows", "v": "v_rows"},
    "v-low-rank-ua": {"a": "A"},
    "rela": {"g": "gain"},
    "gated-linear-attention": {"g": "gate"},
    "linear-decay-scalar": {"g": "gate"},
    "talking-heads": {"v": "values"},
}
# Layouts that differ by more than a missing axis of heads. Strides are the
# caller's in attnc; a file of NumPy has its elements in the logical order.
LAYOUTS = {
    "temperature": {"temp": lambda a: a.reshape(())},
    "differential": {"lam": lambda a: a.reshape(())},
    "paged-kv": {
        "q": lambda a: a[:, :, None],
        "kp": lambda a: a.transpose(0, 2, 1, 3),
        "vp": lambda a: a.transpose(0, 2, 1, 3),
        "table": lambda a: a.clip(0),  # an entry that no key needs names a page, too
    },
}
# Outputs that are parts of an output of the spec.
PARTS = {
    "linear-elu-causal": {"state": ("state", lambda a: a[..., :-1]), "zsum": ("state", lambda a: a[..., -1])},
}
# Keys of the spec that a shape sets, besides the widths and sizes that all have.
SETTINGS = {
    "luong-dot": {"value_dim": None},
    "luong-general": {"key_dim": "{E}", "value_dim": None},
    "luong-concat": {"key_dim": "{E}", "value_dim": None},
    "bahdanau-additive": {"key_dim": "{E}", "value_dim": None},
    "bahdanau-padded": {"key_dim": "{E}", "value_dim": None},
    "window-left-right": {"mask": "band({L}, {R})"},
    "value-down-up": {"value_dim": None},
    "qk-circuit": {"head_dim": None},
    "ov-circuit": {"value_dim": None},
    "mla-absorbed": {"value_dim": None},
}
# Sizes of the specs that have another name in the zoo.
SIZES = {"rows": "Y", "columns": "X"}
GENERAL = {"heads": "H", "kv_heads": "K", "head_dim": "D", "value_dim": "E"}


def settings(variant, space, text):
    """KEY=VALUE for --set: the shape's fixed sizes."""
    keys = {}
    for key, symbol in GENERAL.items():
        if hasattr(space, symbol) and (key != "kv_heads" or "kv_heads" in text):
            keys[key] = str(getattr(space, symbol))
    own = re.search(r"^sizes:(?: \{.*\}|\n(?:  .*\n)+)", text, re.M)
    if own:
        sizes = re.findall(r"(\w+): ([^\s{,}]+)", own.group(0))
        keys["sizes"] = "{%s}" % ", ".join(
            "%s: %s" % (name, value if value == "any" else getattr(space, SIZES.get(name, name))) for name, value in sizes)
    for key, value in SETTINGS.get(variant.id, {}).items():
        keys.pop(key, None)
        if value is not None:
            keys[key] = value.format(**vars(space))
    return ["%s=%s" % item for item in keys.items()]


def name_of(variant, tensor, text):
    if tensor == "o" and re.search(r"^output:", text, re.M):
        return "Y"
    return RENAMED.get(variant.id, {}).get(tensor, TENSORS.get(tensor, tensor))


def part_of(variant, tensor, text):
    """The output of the spec that holds an output of the zoo, and which part of it."""
    return PARTS.get(variant.id, {}).get(tensor, (name_of(variant, tensor, text), lambda a: a))


def with_heads(name, array, text):
    """Early papers have no heads: a spec has one."""
    has_no_heads = name in ("Q", "K", "V", "O", "attention", "score") and array.ndim == 3 and "ragged" not in text
    return array[:, None] if has_no_heads else array


def named_inputs(variant, inputs, text):
    """The inputs of a call, by the names and in the layouts of the spec."""
    named = {}
    for tensor in variant.tensors:
        array, name = inputs[tensor.name], name_of(variant, tensor.name, text)
        if tensor.dtype == "real":
            array = array.astype(np.float32)
        change = LAYOUTS.get(variant.id, {}).get(tensor.name, lambda a: with_heads(name, a, text))
        named[name] = np.ascontiguousarray(change(array)).reshape(change(array).shape)
    return named


def write_inputs(variant, inputs, text, folder):
    os.makedirs(folder, exist_ok=True)
    paths = {}
    for name, array in named_inputs(variant, inputs, text).items():
        paths[name] = os.path.join(folder, name + ".npy")
        np.save(paths[name], array)
    return paths


def compare(variant, wanted, tolerances, precision, text, output):
    """What is wrong with the arrays that `output` returns by name, or nothing."""
    for tensor in variant.outputs:
        (name, part), b = part_of(variant, tensor.name, text), wanted[tensor.name]
        a = part(output(name)).astype(np.float64)
        b = with_heads(name, b, text)
        if name == "Y" and (a.ndim, b.ndim) == (4, 3):
            b = b[:, None]
        if variant.id == "paged-kv":
            b = b.reshape(a.shape)
        if a.shape != b.shape:
            return "%s has the shape %s, not %s" % (name, a.shape, b.shape)
        with np.errstate(invalid="ignore"):
            error = np.where(a == b, 0.0, np.abs(a - b)).max(initial=0.0)
        allowed = tolerances[tensor.name][precision]["atol"]
        if not error <= allowed:  # NaN fails
            return "%s differs by %.3g, allowed %.3g" % (name, error, allowed)
    return None


def run_case(arguments, variant, number, precision, text):
    """(kind, detail) of one case: right, wrong or refused."""
    shape = variant.shapes[number]
    inputs = variant.inputs(shape)
    with np.errstate(all="ignore"):
        wanted = variant.oracle(inputs, shape)
        tolerances = zoo.tolerance(variant, inputs, wanted, shape)
    if any(tolerances[t.name][precision] is None for t in variant.outputs):
        # A choice that rounding may flip has no tolerance.
        return run_case(arguments, variant, number, "f32", text) \
            if arguments.dtype == precision != "f32" else ("right", None)
    folder = os.path.join(arguments.work, variant.id, "s%d-%s" % (number, precision))
    paths = write_inputs(variant, inputs, text, folder)
    command = [arguments.attnc_run, os.path.join(arguments.specs, variant.id + ".yaml"), "-Wno-slow-path",
               "-Wno-offset"]
    if arguments.interpret:
        command.append("--interpret")
    elif not arguments.only:
        command.append("--no-check")
    command += ["--target=" + arguments.target] if arguments.target else []
    command += ["-mcpu=" + arguments.mcpu] if arguments.mcpu else []
    if arguments.backend:
        command.append("--backend=" + arguments.backend)
    for setting in settings(variant, variant.space(shape), text):
        command += ["--set", setting]
    if precision != "f32":
        command += ["--set", "dtype=" + precision]
    for name, path in paths.items():
        command += ["--input", name + "=" + path]
    for name in dict.fromkeys(part_of(variant, tensor.name, text)[0] for tensor in variant.outputs):
        command += ["--save", "%s=%s" % (name, os.path.join(folder, name + ".out.npy"))]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=arguments.timeout)
    said = result.stdout.decode("utf-8", "replace")
    if arguments.only:
        print(" ".join("'%s'" % c if " " in c else c for c in command) + "\n" + said)
    if result.returncode not in (0, 1) or "internal error" in said or "Assertion" in said:
        return "wrong", "exit code %d: %s" % (result.returncode, said.strip()[-400:])
    refusal = re.search(r"error: (.*)", said)
    if refusal:
        ids = re.findall(r"\[([\w-]+)\]$", refusal.group(1))
        return "refused", (ids[0] if ids else "call") + ": " + refusal.group(1)
    fault = compare(variant, wanted, tolerances, precision, text,
                    lambda name: np.load(os.path.join(folder, name + ".out.npy")))
    return ("wrong", fault) if fault else ("right", None)


def run_variant(arguments, variant):
    """(kind, detail) of a variant: the worst of its cases."""
    path = os.path.join(arguments.specs, variant.id + ".yaml")
    if not os.path.exists(path):
        return "needs", None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    body = [line for line in text.splitlines() if line and not line.startswith(("#", "attnc:"))]
    cases = [(n, "f32") for n in range(len(variant.shapes)) if arguments.all or n not in (0, 2)]
    cases += [(1, "bf16")] if arguments.all else []
    if arguments.shape is not None:
        cases = [(min(arguments.shape, len(variant.shapes) - 1), arguments.dtype)]
    refused = None
    for number, precision in cases:
        try:
            kind, detail = run_case(arguments, variant, number, precision, text)
        except subprocess.TimeoutExpired:
            return "timeout", "s%d %s: over %d s" % (number, precision, arguments.timeout)
        except Exception as error:  # a broken case must not hide the others
            kind, detail = "wrong", "%s: %s" % (type(error).__name__, error)
        if kind == "wrong":
            return "wrong", "s%d %s: %s" % (number, precision, detail)
        if kind == "refused" and refused is None:
            refused = detail
            if not arguments.only:
                break  # one is enough to know
    return ("refused", refused) if refused else ("right", "%d lines" % len(body))


def read_status(names):
    """{id: (kind, message id or None, reason)} of the files."""
    status = {}
    for file in names:
        with open(os.path.join(HERE, file), encoding="utf-8") as f:
            for line in f:
                fields = line.split("#")[0].split(None, 2)
                if not fields:
                    continue
                kind, name, rest = fields
                message = None
                if kind == "refused":
                    message, rest = rest.split(None, 1)
                status[name] = (kind, message, rest.strip())
    return status


def faults(results, status, specs):
    """Where results and status.txt disagree."""
    for name, (kind, detail) in results.items():
        listed = status.get(name, ("right", None, ""))
        if kind in ("wrong", "timeout"):
            yield "%s: %s: %s" % (name, kind, detail)
        elif kind != listed[0]:
            yield "%s: %s%s, status.txt says %s" % (name, kind, " (%s)" % detail if detail else "", listed[0])
        elif kind == "refused" and not detail.startswith(listed[1] + ":"):
            yield "%s: refused with %s, status.txt says %s" % (name, detail, listed[1])
    for name in status:
        if name not in zoo.REGISTRY:
            yield "%s: in status.txt, but not in the zoo" % name
    for name in sorted(os.listdir(specs)):
        if name.endswith(".yaml") and name[:-5] not in zoo.REGISTRY:
            yield "%s: no such variant" % name


def update(results, readme, score):
    """Writes what is refused today into status.txt, and the score into the README."""
    path = os.path.join(HERE, "status.txt")
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("refused ")]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)
        for name, (kind, detail) in results.items():
            if kind == "refused":
                message, text = detail.split(": ", 1)
                f.write("refused %s %s %s\n" % (name, message, re.sub(r" \[[\w-]+\]$", "", text)))
    if readme:
        with open(readme, encoding="utf-8") as f:
            text = re.sub(r"\d+ of \d+\s+variants pass, \d+ fail", score, f.read())
        with open(readme, "w", encoding="utf-8") as f:
            f.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attnc_run")
    parser.add_argument("specs")
    parser.add_argument("work")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--readme")
    parser.add_argument("--only", default="")
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--target")
    parser.add_argument("--mcpu")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--skip")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--backend", default="")
    parser.add_argument("--shape", type=int)
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--timeout", type=int, default=1800)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    zoo.load(HERE)
    only = [name for name in arguments.only.split(",") if name]
    picked = [zoo.REGISTRY[name] for name in only] or list(zoo.REGISTRY.values())[::arguments.every]
    picked = [variant for variant in picked if variant.id != arguments.skip]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = dict(zip([v.id for v in picked], pool.map(lambda v: run_variant(arguments, v), picked)))
    count = {kind: sum(k == kind for k, _ in results.values()) for kind in ("right", "wrong", "refused", "needs", "timeout")}
    count["wrong"] += count.pop("timeout")
    score = "%d of %d variants pass, %d fail" % (count["right"], len(results), count["wrong"])
    if arguments.update and not only:
        update(results, arguments.readme, score)
    files = ["status.txt"] + ["status-%s.txt" % name for name in (arguments.backend, arguments.mcpu) if name]
    status = read_status([file for file in files if os.path.exists(os.path.join(HERE, file))])
    found = list(faults(results, status if not only else {n: s for n, s in status.items() if n in only},
                        arguments.specs))
    for name, (kind, detail) in results.items():
        reason = status[name][2] if name in status and kind != "right" else ""
        print("%-14s %-28s %s" % ({"needs": "not expressible"}.get(kind, kind), name, reason or detail or ""))
    if arguments.readme and not only:
        with open(arguments.readme, encoding="utf-8") as f:
            if score not in " ".join(f.read().split()):
                found.append("README.md: the score is not there: " + score)
    for fault in found:
        print("FAIL " + fault)
    print("%s; %d refused, %d not expressible" % (score, count["refused"], count["needs"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
