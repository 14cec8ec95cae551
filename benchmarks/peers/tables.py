"""Turns the records of a run into Markdown tables and charts for plot.py."""

import json

UNITS = {"amx_bf16": "AMX bf16", "bf16_dot": "AVX512-BF16", "f32_fma": "f32 FMA"}


class BadResults(Exception):
    """A file does not hold the records of a run; the text says why."""


class Entry:
    """The results of one case with one thread count."""

    def __init__(self, case):
        self.case = case
        self.results, self.failed = [], []

    @property
    def unit(self):
        """The unit whose peak is the limit of the dtype on the measured processor."""
        peaks = self.case["peaks"]
        if self.case["dtype"] == "bf16":
            return next(unit for unit in UNITS if peaks[unit])
        return "f32_fma"

    def rate(self, result):
        """GFLOP/s, unmasked pairs only."""
        return self.case["flops_needed"] / result["seconds"] * 1e-9

    def percent(self, result):
        return 100 * self.rate(result) / self.case["peaks"][self.unit]

    def correct(self):
        """The correct results, fastest first."""
        return sorted((r for r in self.results if r["correct"]), key=lambda r: r["seconds"])

    def wrong(self):
        return [r for r in self.results if not r["correct"]]

    def key(self):
        return self.case["case"], self.case["threads"]


def load(path):
    """(library records, entries in the order of the run). A later record of the
    same case and peer replaces an earlier one. Raises BadResults."""
    libraries, entries = {}, {}
    try:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.strip()]
        for record in records:
            key = record["threads"], record.get("case")
            if record["type"] == "library":
                libraries[key[0], record["library"]] = record
            elif record["type"] == "case":
                entries[key] = Entry(record)
            elif record["type"] == "result":
                entries[key].results.append(record)
            elif record["type"] == "failed":
                entries[key].failed.append(record)
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadResults(f"{path}: not the output of 'peers run'") from error
    if not entries:
        raise BadResults(f"{path}: no case was run")
    return list(libraries.values()), list(entries.values())


def row(entry):
    """The row of a case: the fastest peer first, then the others as multiples of its time."""
    good = entry.correct()
    name, threads = entry.key()
    cells = [name, str(threads)]
    if good:
        best = good[0]
        cells += [best["peer"], f"{best['seconds'] * 1e3:.3g}", f"{entry.rate(best):.1f}",
                  f"{entry.percent(best):.1f} of {UNITS[entry.unit]}",
                  f"{entry.case['kv_bytes'] / best['seconds'] * 1e-9:.1f}"]
    else:
        cells += ["-"] * 5
    others = [f"{r['peer']} {r['seconds'] / good[0]['seconds']:.2f}" for r in good[1:]]
    for r in entry.wrong():
        error = r["relative_error"]
        others.append(f"{r['peer']} WRONG (relative error {'not finite' if error is None else f'{error:.1e}'})")
    others += [f"{r['peer']} FAILED" for r in entry.failed]
    return cells + [", ".join(others) or "-"]


def markdown(libraries, entries):
    """The table of all cases, and one of the libraries."""
    titles = ["case", "threads", "fastest", "ms", "GFLOP/s", "% of the peak", "GB/s of K and V", "time of others / fastest"]
    lines = table(titles, [row(entry) for entry in entries])
    versions = [[r["library"], str(r["threads"]), r.get("version") or r["error"]] for r in libraries]
    return "\n".join([*lines, "", *table(["library", "threads", "version"], versions)]) + "\n"


def table(titles, rows):
    return ["| " + " | ".join(cells) + " |" if cells else "|---" * len(titles) + "|" for cells in (titles, [], *rows)]


def chart(entries, title, threads):
    """The chart of plot.py: percent of the peak of each correct peer and case."""
    rows = [{"case": entry.key()[0], "values": {r["peer"]: round(entry.percent(r), 1) for r in entry.correct()}}
            for entry in entries if entry.key()[1] == threads]
    if not rows:
        raise BadResults(f"no case was run with {threads} threads")
    names = list(dict.fromkeys(name for r in rows for name in r["values"]))
    for r in rows:
        r["values"] = {name: r["values"].get(name) for name in names}
    return {"title": title, "unit": "% of the peak", "rows": rows}
