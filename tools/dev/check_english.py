#!/usr/bin/env python3
"""Fails on words for which the field has better ones.

usage: check_english.py ROOT [FOLDER...]

Reads the sentences that a user meets: documents (.md outside of code), the
comments of examples, summaries and descriptions in .td files, and the messages
of .def files. With FOLDERs, only these; else those of CLEAN. ALLOWED lists
phrases in which a word is correct.
"""

import re
import sys

from sources import files, finish, line_of, read

# Where every finding is fixed. Extend it as further text is rewritten.
CLEAN = ("CHANGELOG.md", "README.md", "benchmarks", "docs", "examples",
         "include/attnc", "lib/Spec")

# A word, and what to write instead.
WORDS = (
    (r"mend(?:s|ed|ing)?", "fix"),
    (r"(?:is|are|was|were|be) told", "is reported, is printed"),
    (r"(?:is|are|was|were|be) asked", "is queried, is requested"),
    (r"behind (?:each other|one another)", "consecutive, contiguous, concatenated"),
    (r"what lacks", "missing"),
    (r"what stands", "the"),
    (r"stands? (?:in|on|at|behind|beside|between|alone|only|under|with|there|together)", "is, occurs, is stored"),
    (r"where (?:it|they) (?:lies?|stands?|is|are) ?(?=[,.;:)])", "in place, in the stored layout"),
    (r"as (?:it|they) (?:lies?|stands?)", "in the stored layout, unmodified"),
    (r"put together", "concatenated, combined"),
    (r"put behind", "append"),
    (r"fetch(?:es|ed)? ahead", "prefetch"),
    (r"left out|leaves? out", "skip, omit, mask out"),
    (r"the very same", "bit-identical, the same"),
    (r"truth values?", "boolean"),
    (r"reals", "floats"),
    (r"ints", "integers"),
    (r"by pairs", "quadratic"),
    (r"numbers? (?:of|for) (?:the|each) (?:pair|row)", "per-pair value, per-row scalar"),
    (r"one-sided", "separable"),
    (r"likewise", "similarly, in the same way"),
    (r"hardly", "rarely, almost not"),
    (r"beside", "next to, besides"),
    (r"whatever", "any"),
    (r"the greatest", "the maximum"),
    (r"in the place of", "instead of, in place of"),
    (r"goes on from|go on from", "continues from"),
)
ALLOWED = (
    "stands in for",
)

FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
TD_TEXT = re.compile(r"\blet (?:summary|description) = (?:\"[^\"]*\"|\[\{.*?\}\])|Option<.*?>,?$", re.S | re.M)
TD_EXAMPLE = re.compile(r"^ *```\w+$.*?^ *```$", re.M | re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"^ *(?:#|//|/?\*).*$", re.M)


def blank(match):
    """Keeps the lines of what is not to be read."""
    return re.sub(r"[^\n]", " ", match.group(0))


def keep(pattern, text):
    """The matches of a pattern; everything else is blank."""
    out, end = [], 0
    for match in pattern.finditer(text):
        out += [re.sub(r"[^\n]", " ", text[end:match.start()]), match.group(0)]
        end = match.end()
    return "".join(out + [re.sub(r"[^\n]", " ", text[end:])])


def sentences(path, text):
    """The text with all that is no sentence blank, or None."""
    if path.endswith(".md"):
        return CODE.sub(blank, FENCE.sub(blank, text))
    if path.endswith(".td"):
        return CODE.sub(blank, TD_EXAMPLE.sub(blank, keep(TD_TEXT, text)))
    if path.endswith(".def"):
        return keep(STRING, text)
    if path.startswith("examples/") and path.endswith((".yaml", ".c")):
        return keep(COMMENT, text)
    return None


def check(path, text):
    for allowed in ALLOWED:
        text = text.replace(allowed, " " * len(allowed))
    for word, better in WORDS:
        for match in re.finditer(rf"\b(?:{word.replace(' ', chr(92) + 's+')})(?![\w-])", text, re.I):
            found = " ".join(match.group(0).split())
            yield line_of(text, match.start()), f"'{found}'; write: {better}"


def main(root, *folders):
    findings, checked = [], 0
    for path in files(root, ".md", ".td", ".def", ".yaml", ".c"):
        if not path.startswith(tuple(folders or CLEAN)):
            continue
        text = sentences(path, read(root, path))
        if text is None:
            continue
        checked += 1
        findings += [f"{path}:{line}: {what}" for line, what in sorted(check(path, text))]
    finish("english", checked, findings)


if __name__ == "__main__":
    main(*sys.argv[1:])
