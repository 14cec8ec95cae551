"""Times attnc and other libraries on the same cases, interleaved in one run.

usage: benchmarks/peers run [--build DIR] [--threads LIST] [--cases REGEX]
                            [--libraries LIST] [-o FILE.jsonl] ...
       benchmarks/peers table FILE.jsonl
       benchmarks/peers chart FILE.jsonl [--threads N] [--title TEXT]
       benchmarks/peers list

(as `python3 benchmarks/peers ...`). `run` writes one JSON object per line, `table`
prints them as Markdown, `chart` as input of benchmarks/plot.py, `list` prints cases
and libraries. Libraries that are not installed are listed and skipped. Exit code
1: a result is WRONG, or a library failed; 2: a bad command line or file of cases.
"""

import argparse
import json
import os
import re
import shutil
import signal
import sys
import tempfile

sys.dont_write_bytecode = True

import cases
import libraries
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "build-release")


def parser():
    top = argparse.ArgumentParser(prog="peers", usage=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("--build", default=BUILD, help="build folder of attnc")
    run.add_argument("--threads", default="1,2", help="thread counts, separated by commas")
    run.add_argument("--all-threads", action="store_true", help="run each case with each thread count")
    run.add_argument("--libraries", default=",".join(libraries.LIBRARIES))
    run.add_argument("--cases", default="", metavar="REGEX", help="cases whose names match")
    run.add_argument("--cases-file", default=os.path.join(HERE, "cases.json"))
    run.add_argument("--option", action="append", default=[], help="an option of attnc, such as --schedule=...")
    run.add_argument("--rounds", type=int, default=5)
    run.add_argument("--seconds", type=float, default=0.1, help="of each peer, in each round")
    run.add_argument("--case-seconds", type=float, default=40, help="no further round after this time")
    run.add_argument("--cc", default="cc", help="C compiler")
    run.add_argument("-o", "--output", default="-")
    for name in ("table", "chart"):
        commands.add_parser(name).add_argument("results")
    chart = commands.choices["chart"]
    chart.add_argument("--threads", type=int, default=1)
    chart.add_argument("--title", default="attnc and peers")
    commands.add_parser("list").add_argument("--cases-file", default=os.path.join(HERE, "cases.json"))
    return top


def refuse(text):
    print(f"peers: error: {text}", file=sys.stderr)
    sys.exit(2)


def check(options):
    """Refuses impossible options, and turns lists into lists."""
    options.libraries = options.libraries.split(",")
    unknown = [name for name in options.libraries if name not in libraries.LIBRARIES]
    if unknown:
        refuse(f"no library {unknown[0]!r}; libraries: {', '.join(libraries.LIBRARIES)}")
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", options.threads):
        refuse(f"--threads is {options.threads!r}, expected positive integers separated by commas")
    options.threads = [int(count) for count in options.threads.split(",")]
    available = len(os.sched_getaffinity(0))
    if max(options.threads) > available:
        refuse(f"--threads {max(options.threads)}: this process may use {available} processor(s)")
    if options.rounds < 1 or options.seconds <= 0:
        refuse("--rounds and --seconds must be positive")
    options.attnc = os.path.join(options.build, "bin", "attnc")
    if "attnc" in options.libraries and not os.access(options.attnc, os.X_OK):
        folder = os.path.relpath(options.build)
        refuse(f"no {folder}/bin/attnc: build it (ninja -C {folder} attnc) or give --build DIR")
    if not shutil.which(options.cc):
        refuse(f"no C compiler {options.cc!r}; give --cc PROGRAM")
    options.cases_file = os.path.abspath(options.cases_file)


def select(options):
    """The cases to run."""
    try:
        pattern = re.compile(options.cases)
    except re.error as error:
        refuse(f"--cases {options.cases!r}: {error}")
    found = [case for case in cases.load(options.cases_file).values() if pattern.search(case.name)]
    found = [case for case in found if options.all_threads or set(case.threads) & set(options.threads)]
    if not found:
        refuse(f"no case matches {options.cases!r} with these threads; 'peers list' lists them")
    return found


def progress(record):
    """One line on stderr for what is worth a line."""
    where = f"threads {record['threads']}: {record.get('case') or record.get('library')}"
    if record["type"] == "library":
        return f"{where}: {record.get('version') or record['error']}"
    if record["type"] == "result":
        verdict = "" if record["correct"] else " WRONG"
        return f"{where}: {record['peer']} {record['seconds'] * 1e3:.3g} ms{verdict}"
    if record["type"] == "failed":
        return f"{where}: {record['peer']} failed: {record['error']}"
    return None


def passed(record):
    """Whether a record is no reason for exit code 1."""
    if record["type"] == "library":
        return "error" not in record or record.get("missing", False)
    return record["type"] != "failed" and record.get("correct", True)


def run(options):
    """Exit code of `run`."""
    check(options)
    chosen = select(options)
    try:
        import measure
    except ImportError:
        refuse(f"NumPy is {libraries.missing('numpy')}")
    # Workers may be stopped: end them before this process.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    out = sys.stdout if options.output == "-" else open(options.output, "w", encoding="utf-8")
    code = 0
    with out, tempfile.TemporaryDirectory(prefix="peers.") as folder:
        os.environ["ATTNC_PEERS"] = json.dumps({"attnc": os.path.abspath(options.attnc), "options": options.option,
                                                "cc": options.cc, "folder": folder})
        try:
            for record in measure.records(options, chosen, folder):
                print(json.dumps(record), file=out, flush=True)
                line = progress(record)
                if line:
                    print(line, file=sys.stderr)
                if not passed(record):
                    code = 1
        except measure.Failed as error:
            print(f"peers: error: {error}", file=sys.stderr)
            code = 1
    return code


def main():
    options = parser().parse_args()
    try:
        if options.command == "run":
            return run(options)
        if options.command == "list":
            for name in cases.load(options.cases_file):
                print(name)
            for name, library in libraries.LIBRARIES.items():
                print(f"library {name}: {', '.join(library.peers)}")
            return 0
        versions, entries = tables.load(options.results)
        if options.command == "table":
            print(tables.markdown(versions, entries), end="")
        else:
            print(json.dumps(tables.chart(entries, options.title, options.threads), indent=1))
        return 0
    except (cases.BadCase, tables.BadResults) as error:
        refuse(error)
    except OSError as error:
        refuse(f"{error.filename or 'output'}: {error.strerror}")
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
