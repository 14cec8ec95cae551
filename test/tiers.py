"""The tiers of the tests.

A run of lit belongs to one tier, `lit --param tier=NAME`:

  fast     everything but test/Integration; the default
  gate     also test/Integration: every behaviour once
  nightly  also more seeds, sizes and CPU levels of the same tests

Each tier includes the tiers before it, and lit has their names as features. A
test selects its tier as follows:

  folder test/Integration              runs in the gate and nightly
  REQUIRES: nightly                    runs in nightly only
  %if nightly %{ command %}            this command runs in nightly only
  %if nightly %{200%} %else %{10%}     a number of seeds for each tier

Tests measure their CPU time, which is in lit's JSON as the metric "cpu".

With `--param passed=FILE` an interrupted run resumes: FILE records each test
that passes, and a recorded test passes without running. Its first line is the
state of the source tree; after any change of a source file the record starts
anew.
"""

import hashlib
import os
import re
import resource

import lit.formats
import lit.Test

TIERS = ("fast", "gate", "nightly")
NO_SOURCES = re.compile(r"(\.git|build.*|out|__pycache__)$")


def source_state(root):
    """A hash of all source files, committed or not."""
    state = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not NO_SOURCES.match(f))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    content = hashlib.sha256(f.read()).hexdigest()
                state.update(f"{path} {content}\n".encode())
    return state.hexdigest()


def open_record(path, root):
    """Empties the record of passed tests if it is of other sources."""
    state = f"sources {source_state(root)}\n"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.readline() == state:
                return
    with open(path, "w", encoding="utf-8") as f:
        f.write(state)


def cpu_seconds():
    """CPU time of this process and of the processes that it waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )


class TieredTest(lit.formats.ShTest):
    """A lit test that measures its CPU time and can be resumed."""

    def __init__(self, passed):
        super().__init__(execute_external=False)
        self.passed = passed

    def recorded(self, name):
        """The CPU time that the record has for a test, or None."""
        if not self.passed:
            return None
        with open(self.passed, encoding="utf-8") as f:
            for line in f:
                seconds, _, test = line.rstrip("\n").partition(" ")
                if test == name:
                    return float(seconds)
        return None

    def execute(self, test, lit_config):
        name = "/".join(test.path_in_suite)
        seconds = self.recorded(name)
        if seconds is not None:
            result = lit.Test.Result(lit.Test.PASS, "passed in an earlier run")
        else:
            start = cpu_seconds()
            result = super().execute(test, lit_config)
            seconds = cpu_seconds() - start
            if self.passed and result.code == lit.Test.PASS:
                # One short write: workers append to the same file.
                with open(self.passed, "a", encoding="utf-8") as f:
                    f.write(f"{seconds:.2f} {name}\n")
        result.addMetric("cpu", lit.Test.RealMetricValue(round(seconds, 2)))
        return result


def configure(config, lit_config):
    """Applies the tier of this run to the configuration of the suite."""
    tier = lit_config.params.get("tier", TIERS[0])
    if tier not in TIERS:
        lit_config.fatal(f"unknown tier {tier}; known: {', '.join(TIERS)}")
    config.available_features.update(TIERS[: TIERS.index(tier) + 1])
    if tier == "fast":
        config.excludes.append("Integration")
    passed = lit_config.params.get("passed")
    if passed:
        open_record(passed, config.attnc_src_root)
    config.test_format = TieredTest(passed)
