"""Runs the cases: every result is compared with float64, then all peers are timed
in turns. `records` yields the records of a run, one JSON object each:

  library  library, threads, version or error
  case     case, threads, dtype, FLOPs, peaks (medians over the rounds)
  result   case, threads, peer, error of the result, seconds (median, min, max)
  skipped  case, threads, peer, reason: the library has no such operation
  failed   case, threads, peer, error
"""

import collections
import json
import os
import statistics
import subprocess
import time

import libraries
import reference
import tensors
from worker import SLOW, Worker

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    """The run cannot continue; the text says why."""


class Peaks:
    """The speed of the machine, measured by peaks.c."""

    def __init__(self, cc, folder):
        self.program = os.path.join(folder, "peaks")
        self.run([cc, "-O2", "-pthread", os.path.join(HERE, "peaks.c"), "-o", self.program])

    @staticmethod
    def run(command):
        try:
            return subprocess.run(command, text=True, capture_output=True, check=True).stdout
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from error
        except subprocess.CalledProcessError as error:
            raise Failed((error.stderr.strip().splitlines() or [f"{command[0]} failed"])[0]) from error

    def measure(self, threads):
        """{name: GFLOP/s or GB/s} of units that the processor has."""
        return json.loads(self.run([self.program, str(threads)]))


class Run:
    """The workers of one thread count."""

    def __init__(self, options, threads, folder, peaks):
        self.options, self.threads, self.folder, self.peaks = options, threads, folder, peaks
        self.workers = {name: Worker(name, threads, folder) for name in options.libraries}

    def close(self):
        for worker in self.workers.values():
            worker.close()

    def record(self, kind, **fields):
        return {"type": kind, "threads": self.threads, **fields}

    def started(self):
        for name, worker in self.workers.items():
            yield self.record("library", library=name, **worker.hello)

    def prepare(self, case, name, peer):
        """Compiles and runs a case. The array in the answer is the result."""
        import numpy as np
        file = os.path.join(self.folder, f"{name}.npy")
        answer = self.workers[name].request(op="prepare", peer=peer, case=case.name, file=file,
                                            cases=self.options.cases_file)
        if answer.get("ended"):
            self.workers[name] = Worker(name, self.threads, self.folder)
        if "error" not in answer and "unsupported" not in answer:
            answer["array"] = np.load(file)
        return answer

    def check(self, case):
        """(records of those that cannot run, {(library, peer): facts}) of a case."""
        others, found, expected = [], {}, None
        for name, worker in list(self.workers.items()):
            if "error" in worker.hello:
                continue
            for peer in libraries.LIBRARIES[name].peers:
                answer = self.prepare(case, name, peer)
                if "unsupported" in answer:
                    others.append(self.record("skipped", case=case.name, peer=peer, reason=answer["unsupported"]))
                elif "error" in answer:
                    others.append(self.record("failed", case=case.name, peer=peer, error=answer["error"]))
                else:
                    if expected is None:
                        expected = reference.result(case, tensors.inputs(case))
                    answer.update(reference.compare(case, answer.pop("array"), expected))
                    found[name, peer] = answer
        return others, found

    def time(self, case, found):
        """({peer: seconds of each round}, medians of the peaks, failures)."""
        times, peaks, failures = collections.defaultdict(list), [], []
        end = time.monotonic() + self.options.case_seconds
        for worker in self.workers.values():
            worker.stop()
        for turn in range(self.options.rounds):
            if turn > 2 and time.monotonic() > end:
                break
            peaks.append(self.peaks.measure(self.threads))
            for (name, peer), facts in found.items():
                if facts["once_s"] > SLOW:
                    times[peer] = [facts["once_s"]]
                    continue
                worker, seconds = self.workers[name], min(self.options.seconds, max(4 * facts["once_s"], 0.02))
                worker.resume()
                answer = worker.request(op="time", case=case.name, peer=peer, seconds=seconds)
                worker.stop()
                if "error" in answer:
                    failures.append(self.record("failed", case=case.name, peer=peer, error=answer["error"]))
                else:
                    times[peer].append(answer["seconds"])
        median = {unit: statistics.median(peak[unit] for peak in peaks) for unit in peaks[0]}
        return times, median, failures

    def case(self, case):
        """The records of a case."""
        others, found = self.check(case)
        times, peaks, failures = self.time(case, found)
        for worker in self.workers.values():
            worker.resume()
            if "error" not in worker.hello:
                worker.request(op="forget")
        dense, needed = reference.flops(case)
        yield self.record("case", case=case.name, dtype=case.dtype, flops_dense=dense, flops_needed=needed,
                          kv_bytes=reference.kv_bytes(case), peaks=peaks)
        for (_, peer), facts in found.items():
            if times[peer]:
                yield self.record("result", case=case.name, peer=peer, seconds=statistics.median(times[peer]),
                                  seconds_min=min(times[peer]), seconds_max=max(times[peer]), **facts)
        yield from others + failures


def records(options, cases, folder):
    """The records of all thread counts. Raises Failed."""
    peaks = Peaks(options.cc, folder)
    for threads in options.threads:
        chosen = [case for case in cases if options.all_threads or threads in case.threads]
        if not chosen:
            continue
        run = Run(options, threads, folder, peaks)
        try:
            yield from run.started()
            for case in chosen:
                yield from run.case(case)
        finally:
            run.close()
