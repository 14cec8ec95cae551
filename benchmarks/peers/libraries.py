"""The libraries: their peers (ways to compute a case), packages and environment."""

import dataclasses
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass(frozen=True)
class Library:
    """`peers` are the names in the results. `packages` are lines of
    requirements.txt, `variables` what the environment must set, and `environment`
    what the worker adds to it; {lib} is the folder of the interpreter's libraries."""
    peers: tuple
    packages: tuple = ()
    variables: tuple = ()
    environment: tuple = ()


LIBRARIES = {
    "attnc": Library(("attnc",)),
    "numpy": Library(("numpy",), ("numpy",)),
}


def pinned(packages):
    """`packages` with the versions of requirements.txt."""
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
        lines = re.findall(r"^([\w-]+)(==\S+)?$", file.read(), flags=re.M)
    versions = dict(lines)
    return " ".join(name + versions[name] for name in packages)


def missing(name):
    """How to make a library available, for the message of a failed import."""
    library = LIBRARIES[name]
    unset = [variable for variable in library.variables if not os.environ.get(variable)]
    if unset:
        return f"not installed: set {' and '.join(unset)} (see benchmarks/peers/README.md)"
    return f"not installed: pip install {pinned(library.packages)}"
