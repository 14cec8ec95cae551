"""Makes a failing case small: fewer lines, smaller formulas, fewer sizes.

A case has the fields text (a spec), sizes ({name: [values]}) and options. Each
step is kept if the smaller case still fails in the same way.
"""

import ast
import copy
import re

FORMULA = re.compile(r"^(\s*)(score|mask|attention|value|offset|output|\w+(?:\(\w+(?:, \w+)*\))?): (.+)$")


class Replace(ast.NodeTransformer):
    """The tree with the node number `target`, in walking order, replaced."""

    def __init__(self, target, by):
        self.target, self.by, self.count = target, by, -1

    def visit(self, node):
        if isinstance(node, ast.expr):
            self.count += 1
            if self.count == self.target:
                return self.by
        return self.generic_visit(node)


def smaller_formulas(formula):
    """Formulas with one sub-formula replaced by a part of it or by a constant."""
    try:
        tree = ast.parse(formula, mode="eval")
    except (SyntaxError, ValueError):
        return
    nodes = []

    class Number(ast.NodeVisitor):
        def visit(self, node):
            if isinstance(node, ast.expr):
                nodes.append(node)
            self.generic_visit(node)

    Number().visit(tree)
    for number, node in enumerate(nodes):
        if isinstance(node, (ast.Constant, ast.Name)):
            continue
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        parts += [arm for keyword in getattr(node, "keywords", []) for arm in [keyword.value]]
        if isinstance(node, ast.Call):
            parts = parts[1:]  # without the function's name
        if number == 0:
            parts += [ast.Constant(1)]
        for part in parts:
            new = Replace(number, copy.deepcopy(part)).visit(copy.deepcopy(tree))
            yield ast.unparse(ast.fix_missing_locations(new))


def without_unused_inputs(lines):
    """Declarations that no other line names are dropped, and empty maps."""
    start = next((n for n, line in enumerate(lines) if line.startswith("inputs:")), None)
    if start is not None:
        rest = "\n".join(lines)
        kept = []
        for line in lines[start + 1:]:
            names = re.match(r"\s+([\w, ]+):", line)
            used = not names or any(len(re.findall(r"\b%s\b" % name, rest)) > 1
                                    for name in re.split(r",\s*", names.group(1)))
            kept += [line] if used else []
        lines = lines[:start + 1] + kept
    return [line for n, line in enumerate(lines)
            if not (re.fullmatch(r"\w+:", line) and (n + 1 == len(lines) or not lines[n + 1].startswith(" ")))]


def smaller_texts(text):
    lines = text.splitlines()
    for n in range(len(lines) - 1, -1, -1):
        if not lines[n].startswith("attnc:"):
            yield "\n".join(without_unused_inputs(lines[:n] + lines[n + 1:])) + "\n"
    for n, line in enumerate(lines):
        number = re.fullmatch(r"(\s*\w+: )(\d+)", line)
        if number and not line.startswith("attnc:"):
            for value in (1, 2, 4, 8, int(number.group(2)) // 2):
                if 0 < value < int(number.group(2)):
                    yield "\n".join(lines[:n] + [number.group(1) + str(value)] + lines[n + 1:]) + "\n"
        formula = FORMULA.match(line)
        if formula and not number:
            for smaller in smaller_formulas(formula.group(3)):
                changed = "%s%s: %s" % (formula.group(1), formula.group(2), smaller)
                if len(changed) <= len(line) and changed != line:
                    yield "\n".join(without_unused_inputs(lines[:n] + [changed] + lines[n + 1:])) + "\n"


def smaller_cases(case):
    """Fewer calls and options first, since they make the next steps cheaper."""
    for name, values in case.sizes.items():
        if len(values) > 1:
            for value in values:
                yield case._replace(sizes={**case.sizes, name: [value]})
    for n in range(len(case.options)):
        yield case._replace(options=case.options[:n] + case.options[n + 1:])
    for text in smaller_texts(case.text):
        yield case._replace(text=text)
    for name, values in case.sizes.items():
        for value in sorted({1, 2, values[0] // 2, values[0] - 1}):
            if len(values) == 1 and 0 < value < values[0]:
                yield case._replace(sizes={**case.sizes, name: [value]})


def shrink(case, still_fails, attempts):
    """The smallest case found with so many runs of `still_fails`."""
    tried = set()
    progress = True
    while progress and attempts > 0:
        progress = False
        for smaller in smaller_cases(case):
            key = repr(smaller)
            if key in tried:
                continue
            tried.add(key)
            attempts -= 1
            if attempts < 0:
                break
            if still_fails(smaller):
                case, progress = smaller, True
                break
    return case
