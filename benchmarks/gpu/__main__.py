"""Times attnc's kernels and PyTorch's on an NVIDIA GPU, in turns in one run.

usage: benchmarks/gpu run [--build DIR] [--mcpu LEVEL] [--cases REGEX]
                          [--cases-file FILE] [--peers LIST] [-o FILE.jsonl] ...
       benchmarks/gpu table FILE.jsonl
       benchmarks/gpu list

(as `python3 benchmarks/gpu ...`). Every result is compared with float64 first.
`run` writes one JSON object per line, `table` prints them as Markdown. Without
torch only attnc runs. Exit code 1: a result is WRONG, or attnc failed; 2: a bad
command line, file of cases or machine.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "peers"))

import cases  # noqa: E402
import tables  # noqa: E402
from driver import Cuda, CudaError  # noqa: E402

ATTNC = "attnc"
TORCH_PEERS = ("torch_flash", "torch_cudnn", "torch_flex")
LEVELS = ((90, 90, "sm_90a"), (80, 999, "sm_80"))  # compute capabilities, from and to


def parser():
    top = argparse.ArgumentParser(prog="gpu", usage=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("--build", default=os.path.join(HERE, "..", "..", "build-release"), help="build folder of attnc")
    run.add_argument("--mcpu", help="default: the best for the GPU")
    run.add_argument("--device", type=int, default=0)
    run.add_argument("--peers", default=",".join((ATTNC, *TORCH_PEERS)))
    run.add_argument("--cases", default="", metavar="REGEX", help="cases whose names match")
    run.add_argument("--cases-file", default=os.path.join(HERE, "cases.json"))
    run.add_argument("--option", action="append", default=[], help="an option of attnc, such as --schedule=...")
    run.add_argument("--rounds", type=int, default=3)
    run.add_argument("--calls", type=int, default=20, help="of each peer in each round")
    run.add_argument("--rows", type=int, default=32, help="rows of each head that are compared with float64")
    run.add_argument("--folder", help="keeps specs and objects there")
    run.add_argument("--emit-ir", action="store_true", help="also writes the LLVM IR that nvptx-emulator runs")
    run.add_argument("--cc", default="cc", help="C compiler")
    run.add_argument("-o", "--output", default="-")
    commands.add_parser("table").add_argument("results")
    commands.add_parser("list").add_argument("--cases-file", default=os.path.join(HERE, "cases.json"))
    return top


def refuse(text):
    print(f"gpu: error: {text}", file=sys.stderr)
    sys.exit(2)


def check(options):
    """Refuses impossible options, and turns lists into lists."""
    options.peers = options.peers.split(",")
    unknown = [name for name in options.peers if name not in (ATTNC, *TORCH_PEERS)]
    if unknown:
        refuse(f"no peer {unknown[0]!r}; peers: {', '.join((ATTNC, *TORCH_PEERS))}")
    if min(options.rounds, options.calls, options.rows) < 1:
        refuse("--rounds, --calls and --rows must be positive")
    options.attnc = os.path.join(options.build, "bin", "attnc")
    if not os.access(options.attnc, os.X_OK):
        folder = os.path.relpath(options.build)
        refuse(f"no {folder}/bin/attnc: build it (ninja -C {folder} attnc) or give --build DIR")
    if not shutil.which(options.cc):
        refuse(f"no C compiler {options.cc!r}; give --cc PROGRAM")


def select(options):
    """The cases to run."""
    try:
        pattern = re.compile(options.cases)
    except re.error as error:
        refuse(f"--cases {options.cases!r}: {error}")
    found = [case for case in cases.load(options.cases_file).values() if pattern.search(case.name)]
    if not found:
        refuse(f"no case matches {options.cases!r}; 'gpu list' lists them")
    wrong = [case.name for case in found if case.kind != "attention"]
    if wrong:
        refuse(f"{wrong[0]}: this benchmark runs cases of kind 'attention' only")
    return found


def level_of(cuda):
    capability = cuda.capability()
    found = [name for low, high, name in LEVELS if low <= capability <= high]
    if not found:
        refuse(f"{cuda.name()} has compute capability {capability / 10}, attnc supports 8.0 and later")
    return found[0]


class Run:
    """The cases on one GPU."""

    def __init__(self, options, cuda):
        self.options, self.cuda, self.torch = options, cuda, None

    def machine(self):
        """The record of GPU and software. Imports torch, if a peer needs it."""
        record = {"type": "machine", "gpu": self.cuda.name(), "mcpu": self.options.mcpu}
        if set(self.options.peers) & set(TORCH_PEERS):
            try:
                import torch_peers
                torch_peers.use_device(self.options.device)
                self.torch, record["torch"] = torch_peers, torch_peers.version()
            except ImportError as error:
                record["torch"] = f"not there: {error}"
        return record

    def make(self, peer, case, inputs):
        if peer == ATTNC:
            from kernels import Kernel
            return Kernel(self.options, self.cuda, case, inputs)
        return self.torch.Peer(peer, self.cuda.stream.value, case, inputs)

    def prepare(self, peer, case, inputs, expected):
        """(callable peer or None, record): runs once, and compares the result."""
        import accuracy
        record = {"type": "result", "case": case.name, "peer": peer}
        made = None
        try:
            made = self.make(peer, case, inputs)
            made()
            return made, {**record, **made.facts, **accuracy.compare(case, made.values(), expected)}
        except cases.Unsupported as error:
            record.update(type="skipped", reason=str(error))
        except Exception as error:  # of a library: the other peers still run
            record.update(type="failed", error=(str(error).splitlines() or [type(error).__name__])[0])
        if made:
            made.close()
        return None, record

    def time(self, peers, records):
        """{peer: median seconds of each round}."""
        times = {name: [] for name in peers}
        for _ in range(self.options.rounds):
            for name, peer in list(peers.items()):
                try:
                    times[name].append(statistics.median(self.cuda.time(peer, self.options.calls)))
                except Exception as error:  # of a library: the other peers still run
                    if name == ATTNC:
                        raise
                    records[name].update(type="failed", error=(str(error).splitlines() or [type(error).__name__])[0])
                    peers.pop(name).close()
        return {name: times[name] for name in peers}

    def case(self, case):
        """The records of a case."""
        import accuracy
        import reference
        import tensors
        inputs = tensors.inputs(case)
        expected = accuracy.sample(case, inputs, self.options.rows)
        yield {"type": "case", "case": case.name, "dtype": case.dtype, "flops_needed": reference.flops(case)[1],
               "kv_bytes": reference.kv_bytes(case)}
        peers, records = {}, {}
        for name in self.options.peers:
            if name in TORCH_PEERS and not self.torch:
                continue
            made, records[name] = self.prepare(name, case, inputs, expected)
            if made:
                peers[name] = made
        times = self.time(peers, records)
        for peer in peers.values():
            peer.close()
        for name, record in records.items():
            if name in times:
                record.update(seconds=statistics.median(times[name]), seconds_min=min(times[name]),
                              seconds_max=max(times[name]))
            yield record

    def records(self, chosen):
        yield self.machine()
        for case in chosen:
            yield from self.case(case)


def progress(record):
    """One line on stderr for what is worth a line."""
    if record["type"] == "result":
        verdict = "" if record["correct"] else " WRONG"
        return f"{record['case']}: {record['peer']} {record['seconds'] * 1e3:.4g} ms{verdict}"
    if record["type"] == "failed":
        return f"{record['case']}: {record['peer']} failed: {record['error']}"
    return None


def passed(record):
    """Whether a record is no reason for exit code 1."""
    if record["type"] == "failed":
        return record["peer"] != ATTNC
    return record.get("correct", True)


def run(options):
    check(options)
    chosen = select(options)
    try:
        cuda = Cuda(options.device)
        options.mcpu = options.mcpu or level_of(cuda)
    except CudaError as error:
        refuse(str(error))
    code = 0
    output = sys.stdout if options.output == "-" else open(options.output, "w", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, output:
        options.folder = options.folder or folder
        os.makedirs(options.folder, exist_ok=True)
        for record in Run(options, cuda).records(chosen):
            output.write(json.dumps(record) + "\n")
            output.flush()
            if line := progress(record):
                print(line, file=sys.stderr)
            code |= not passed(record)
    return code


def rate(case, record):
    """TFLOP/s, unmasked pairs only."""
    return case["flops_needed"] / record["seconds"] * 1e-12


def table(options):
    try:
        with open(options.results, encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.strip()]
        machine = next(r for r in records if r["type"] == "machine")
        rows = []
        for case in (r for r in records if r["type"] == "case"):
            rest = {r["peer"]: r for r in records if r["type"] != "case" and r.get("case") == case["case"]}
            rows.append(row(case, rest))
    except OSError as error:
        refuse(f"{options.results}: {error.strerror}")
    except (ValueError, KeyError, TypeError, StopIteration):
        refuse(f"{options.results}: not the output of 'gpu run'")
    titles = ["case", "attnc ms", "GB/s of K and V", "attnc TFLOP/s", *TORCH_PEERS, "attnc / best other"]
    print("\n".join([f"{machine['gpu']}, {machine['mcpu']}; {machine.get('torch', 'no torch')}", "",
                     *tables.table(titles, rows)]))
    return 0


def row(case, records):
    def cell(peer):
        record = records.get(peer)
        if not record or record["type"] == "skipped":
            return "-"
        if record["type"] == "failed":
            return "FAILED"
        return f"{rate(case, record):.4g}" if record["correct"] else "WRONG"

    own = records.get(ATTNC, {})
    others = [r["seconds"] for peer, r in records.items() if peer != ATTNC and r.get("correct")]
    share = f"{min(others) / own['seconds']:.2f}" if others and own.get("correct") else "-"
    times = [f"{own['seconds'] * 1e3:.4g}", f"{case['kv_bytes'] / own['seconds'] * 1e-9:.4g}"]
    return [case["case"], *(times if own.get("type") == "result" else ["-", "-"]), cell(ATTNC),
            *(cell(peer) for peer in TORCH_PEERS), share]


def main():
    options = parser().parse_args()
    try:
        if options.command == "list":
            print("\n".join(cases.load(options.cases_file)))
            return 0
        return table(options) if options.command == "table" else run(options)
    except cases.BadCase as error:
        refuse(str(error))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
