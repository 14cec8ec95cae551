"""Compiles the zoo on one machine, and runs the objects on another.

usage: bundle.py build ATTNC SPECS DIR [--mcpu LEVELS] [--backend NAME] [--shapes N[,N]]
                 [--dtype NAME] [--every N] [--only ID[,ID...]] [--option OPTION ...]
       bundle.py run [DIR] [--cc PROGRAM] [--only ID[,ID...]] [--jobs N] [--timeout SECONDS]
                 [--times]

`build` compiles each variant (README.md) at the given shapes and writes DIR: the
objects, what to call (bundle.json), and a copy of these scripts. `run`, for which DIR
is by default the folder of the script, needs Python, NumPy and a C compiler to
link, but nothing of attnc. It draws the same inputs again, calls each object twice
with tensors in host memory, and compares the results with the oracles. A variant is
  right    every output of every shape is within the zoo's tolerance
  refused  the compiler says that it cannot do it, or a call returns a status
  wrong    a result is not, or the call crashed or took longer than --timeout
and without tolerance where rounding in --dtype may flip a choice. Exit code 1: a variant
is wrong, or none is right; 2: a bad command line or bundle.
"""

import argparse
import concurrent.futures
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run as zoo_run  # noqa: E402
import zoo  # noqa: E402

# DLPack's code and bits, and how NumPy holds it.
TYPES = {
    "f32": (2, 32, np.float32), "f64": (2, 64, np.float64), "f16": (2, 16, np.float16), "bf16": (4, 16, np.uint16),
    "bool": (6, 8, np.bool_), "i8": (0, 8, np.int8), "u8": (1, 8, np.uint8), "i32": (0, 32, np.int32),
    "i64": (0, 64, np.int64),
}
PRECISIONS = {"f32": "f32", "f16": "bf16", "bf16": "bf16"}  # the zoo's tolerances


class Tensor(ctypes.Structure):
    """attnc_tensor of the header, which is DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)


class Runtime(ctypes.Structure):
    """attnc_runtime of the header."""
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("user", ctypes.c_void_p),
                ("parallel_for", ctypes.c_void_p), ("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("report", REPORT), ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t),
                ("stream", ctypes.c_void_p), ("cpu", ctypes.c_char_p)]


def fail(text):
    print("bundle: error: " + text, file=sys.stderr)
    sys.exit(2)


# ------------------------------------------------------------------ build
def read_header(text):
    """The function of a header, and its tensors in order: [name, type, [size, ...]]."""
    function, parameters = re.search(r"^attnc_status (\w+)\((.*?), const attnc_runtime \*runtime\);", text, re.M).groups()
    order = re.findall(r"\*(\w+)", parameters)
    comment = text[:text.index("attnc_status %s(" % function)].rsplit("/* ", 1)[1]
    tensors, untyped = {}, []
    for names, dims, dtype in re.findall(r"((?:\w+, )*(?:\w+ and )?\w+) \[([^]]*)\](?:: (\w+))?", comment):
        for name in re.split(", | and ", names):
            tensors[name] = [name, None, [dim for dim in dims.split(", ") if dim]]
            untyped.append(tensors[name])
        while dtype and untyped:
            untyped.pop()[1] = dtype
    return function, [tensors[name] for name in order]


def compile_case(options, variant, number, text):
    """The entry of bundle.json for a variant at a shape."""
    stem = "%s-s%d" % (variant.id, number)
    case = {"id": variant.id, "shape": number}
    command = [options.attnc, os.path.join(options.specs, variant.id + ".yaml"), "-Wno-slow-path", "-Wno-offset",
               "--emit=obj,header", "-o", os.path.join(options.dir, stem + ".o"), *options.option]
    command += ["-mcpu=" + options.mcpu] if options.mcpu else []
    command += ["--backend=" + options.backend] if options.backend else []
    for setting in zoo_run.settings(variant, variant.space(variant.shapes[number]), text):
        command += ["--set", setting]
    if options.dtype != "f32":
        command += ["--set", "dtype=" + options.dtype]
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode not in (0, 1) or "internal error" in result.stdout:
        return {**case, "wrong": "exit code %d: %s" % (result.returncode, result.stdout.strip()[-400:])}
    if result.returncode:
        refusal = re.search(r"error: (.*)", result.stdout)
        return {**case, "refused": refusal[1] if refusal else result.stdout.strip()}
    header = os.path.join(options.dir, stem + ".h")
    with open(header, encoding="utf-8") as file:
        function, tensors = read_header(file.read())
    os.remove(header)
    outputs = {zoo_run.part_of(variant, t.name, text)[0] for t in variant.outputs}
    missing = outputs - {name for name, _, _ in tensors}
    if missing:
        return {**case, "wrong": "the header has no tensor " + min(missing)}
    return {**case, "object": stem + ".o", "function": function, "tensors": tensors}


def pick(only, every=1):
    unknown = [name for name in only if name not in zoo.REGISTRY]
    if unknown:
        fail("no variant '%s'" % unknown[0])
    return [zoo.REGISTRY[name] for name in only] or list(zoo.REGISTRY.values())[::every]


def build(options):
    if options.every < 1:
        fail("--every must be positive")
    picked = pick(options.only, options.every)
    os.makedirs(options.dir, exist_ok=True)
    specs, wanted = {}, []
    for variant in picked:
        path = os.path.join(options.specs, variant.id + ".yaml")
        if not os.path.exists(path):
            continue  # the language cannot express it
        with open(path, encoding="utf-8") as file:
            specs[variant.id] = file.read()
        numbers = sorted({min(number, len(variant.shapes) - 1) for number in options.shapes})
        wanted += [(variant, number) for number in numbers]
    if not wanted:
        fail("no spec of a variant in '%s'" % options.specs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cases = list(pool.map(lambda one: compile_case(options, *one, specs[one[0].id]), wanted))
    for file in glob.glob(os.path.join(HERE, "*.py")):
        if not os.path.samefile(options.dir, HERE):
            shutil.copy(file, options.dir)
    with open(os.path.join(options.dir, "bundle.json"), "w", encoding="utf-8") as file:
        json.dump({"mcpu": options.mcpu, "backend": options.backend, "dtype": options.dtype, "specs": specs,
                   "cases": cases}, file, indent=0)
        file.write("\n")
    count = {kind: sum(kind in case for case in cases) for kind in ("object", "refused", "wrong")}
    print("%d cases: %d objects, %d refused, %d wrong" % (len(cases), *count.values()))
    for case in cases:
        if "wrong" in case:
            print("wrong   %s s%d: %s" % (case["id"], case["shape"], case["wrong"]))
    return 1 if count["wrong"] or not count["object"] else 0


# ------------------------------------------------------------------ run
def sizes_of(case, arrays, wanted):
    """The sizes by name, from the shapes of the inputs and, where no input has
    them, of what the oracle computes."""
    sizes = {}
    for name, _, dims in case["tensors"]:
        known = arrays.get(name, wanted.get(name))
        for dim, extent in zip(dims, known.shape if known is not None and known.ndim == len(dims) else ()):
            if re.fullmatch(r"[A-Za-z_]\w*", dim):
                sizes.setdefault(dim, extent)
    return sizes


def stored(array, dtype):
    """The values in the type of the header."""
    if dtype == "bf16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16).reshape(array.shape)
    return np.asarray(array, TYPES[dtype][2])


def widened(array, dtype):
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def make_tensor(array, dtype):
    code, bits, _ = TYPES[dtype]
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    return Tensor(array.ctypes.data, (ctypes.c_int32 * 2)(1, 0), array.ndim, code, bits, 1, shape, None, 0)


class Refusal(Exception):
    """A call returned a status; the text is its message."""


def call(function, case, arrays, wanted):
    """The tensors after a call, and its seconds. Results are NaN before."""
    sizes, passed, after = sizes_of(case, arrays, wanted), [], {}
    for name, dtype, dims in case["tensors"]:
        if name in arrays:
            after[name] = stored(arrays[name], dtype).copy()
        else:
            # Of an expression of sizes in C, such as "k / 16".
            shape = [int(eval(dim.replace("/", "//"), {}, sizes)) for dim in dims]
            after[name] = np.full(shape, 0x7FC0 if dtype == "bf16" else np.nan, TYPES[dtype][2])
        passed.append(make_tensor(after[name], dtype))
    messages = []
    report = REPORT(lambda user, status, text: messages.append(text.decode("utf-8", "replace")))
    runtime = Runtime(size=ctypes.sizeof(Runtime), report=report)
    begin = time.perf_counter()
    status = function(*[ctypes.byref(tensor) for tensor in passed], ctypes.byref(runtime))
    seconds = time.perf_counter() - begin
    if status:
        raise Refusal("status %d: %s" % (status, "; ".join(messages)))
    types = {name: dtype for name, dtype, _ in case["tensors"]}
    return {name: widened(array, types[name]) for name, array in after.items()}, seconds


def run_case(bundle, case, folder, cc):
    """(kind, detail) of a case. Runs in a process of its own."""
    variant, text = zoo.REGISTRY[case["id"]], bundle["specs"][case["id"]]
    shape, precision = variant.shapes[case["shape"]], PRECISIONS[bundle["dtype"]]
    inputs = variant.inputs(shape)
    with np.errstate(all="ignore"):
        wanted = variant.oracle(inputs, shape)
        tolerances = zoo.tolerance(variant, inputs, wanted, shape)
    if any(tolerances[t.name][precision] is None for t in variant.outputs):
        return "without tolerance", None
    with tempfile.TemporaryDirectory() as work:
        library = os.path.join(work, case["object"] + ".so")
        subprocess.run([cc, "-shared", os.path.join(folder, case["object"]), "-ldl", "-lm", "-o", library], check=True)
        function = getattr(ctypes.CDLL(library), case["function"])
    named = {zoo_run.name_of(variant, name, text): array for name, array in wanted.items()}
    seconds = []
    for _ in range(2):
        try:
            after, taken = call(function, case, zoo_run.named_inputs(variant, inputs, text), named)
        except Refusal as refusal:
            return "refused", str(refusal)
        seconds.append(taken)
        fault = zoo_run.compare(variant, wanted, tolerances, precision, text, after.__getitem__)
        if fault:
            return "wrong", fault
    return "right", "%.3g ms, then %.3g ms" % tuple(1e3 * taken for taken in seconds)


def run_apart(options, number, case):
    """(kind, detail) of a case, also if it crashes or hangs."""
    for kind in ("refused", "wrong"):
        if kind in case:
            return kind, case[kind]
    command = [sys.executable, os.path.abspath(__file__), "call", options.dir, str(number), "--cc", options.cc]
    try:
        result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=options.timeout, check=False)
        return tuple(json.loads(result.stdout.splitlines()[-1])) if result.returncode == 0 else (
            "wrong", "exit code %d: %s" % (result.returncode, result.stderr.strip()[-400:]))
    except subprocess.TimeoutExpired:
        return "wrong", "took over %d s" % options.timeout
    except (ValueError, IndexError):
        return "wrong", "no answer: " + (result.stdout + result.stderr).strip()[-400:]


def load_bundle(folder):
    try:
        with open(os.path.join(folder, "bundle.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail("'%s' is no bundle: %s" % (folder, error))


def run(options):
    bundle = load_bundle(options.dir)
    if not shutil.which(options.cc):
        fail("no C compiler '%s'; give --cc PROGRAM" % options.cc)
    names = {variant.id for variant in pick(options.only)}
    cases = [(number, case) for number, case in enumerate(bundle["cases"]) if case["id"] in names]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda one: run_apart(options, *one), cases))
    worst, order = {}, ("right", "without tolerance", "refused", "wrong")
    for (_, case), (kind, detail) in zip(cases, results):
        if kind != "right" or options.times:
            print("%-18s %-28s s%d %s" % (kind, case["id"], case["shape"], detail or ""))
        before = worst.setdefault(case["id"], kind)
        worst[case["id"]] = max(before, kind, key=order.index)
    count = {kind: sum(one == kind for one in worst.values()) for kind in order}
    print("%s%s, %s: %d of %d variants right, %d refused, %d without tolerance, %d wrong" % (
        bundle["mcpu"] or "default", " by " + bundle["backend"] if bundle["backend"] else "", bundle["dtype"],
        count["right"], len(worst), count["refused"], count["without tolerance"], count["wrong"]))
    if count["wrong"]:
        print("wrong: " + ", ".join(name for name, kind in worst.items() if kind == "wrong"))
    return 1 if count["wrong"] or not count["right"] else 0


def run_one(options):
    """`call DIR NUMBER`: one case, the result as JSON."""
    bundle = load_bundle(options.dir)
    print(json.dumps(run_case(bundle, bundle["cases"][options.number], options.dir, options.cc)))
    return 0


def names(text):
    return [name for name in text.split(",") if name]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("build")
    one.add_argument("attnc")
    one.add_argument("specs")
    one.add_argument("dir")
    one.add_argument("--mcpu", default="")
    one.add_argument("--backend", default="")
    one.add_argument("--shapes", type=lambda text: [int(n) for n in names(text)], default=[1])
    one.add_argument("--dtype", choices=PRECISIONS, default="f32")
    one.add_argument("--every", type=int, default=1)
    one.add_argument("--only", type=names, default=[])
    one.add_argument("--option", action="append", default=[])
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    one = commands.add_parser("run")
    one.add_argument("dir", nargs="?", default=HERE)
    one.add_argument("--cc", default="cc")
    one.add_argument("--only", type=names, default=[])
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    one.add_argument("--timeout", type=int, default=120)
    one.add_argument("--times", action="store_true")
    one = commands.add_parser("call")
    one.add_argument("dir")
    one.add_argument("number", type=int)
    one.add_argument("--cc", default="cc")
    options = parser.parse_args()
    zoo.load(HERE)
    return {"build": build, "run": run, "call": run_one}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
