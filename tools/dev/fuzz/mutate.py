"""Changes texts of specs and dumps: tokens, numbers, lines, parts of another text."""

import re

TOKEN = re.compile(r"[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+|[%@#!^]\w+|->|[^\w\s]")
NUMBERS = ["0", "1", "-1", "2", "3", "7", "8", "31", "32", "33", "64", "65", "1000", "4096", "2147483647",
           "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
           "0.5", "1e308", "1e-320", "nan", "inf"]
CHARACTERS = ["\"", "'", "{", "}", "[", "]", "(", ")", "<", ">", ":", ",", "#", "&", "*", "|", "-", "\t", "\0",
              "\r", "\\", "é", "€", "%", "@", "!"]
LONGEST = 200000


def tokens_of(text):
    return TOKEN.findall(text)


def is_space(token):
    return token.isspace()


def change_token(source, tokens, words):
    n = source.randrange(len(tokens))
    for _ in range(20):
        if not is_space(tokens[n]):
            break
        n = source.randrange(len(tokens))
    kind = source.choice([0, 1, 2, 3, 3, 4, 4, 4, 5])
    if kind == 0:
        tokens[n] = ""
    elif kind == 1:
        tokens[n] += " " + tokens[n]
    elif kind == 2:
        m = source.randrange(len(tokens))
        tokens[n], tokens[m] = tokens[m], tokens[n]
    elif kind == 3:
        tokens[n] = source.choice(words)
    elif kind == 4:
        numbers = [i for i, token in enumerate(tokens) if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", token)]
        tokens[source.choice(numbers or [n])] = source.choice(NUMBERS)
    else:
        tokens[n] += source.choice(CHARACTERS)
    return tokens


def change_lines(source, lines, others):
    n = source.randrange(len(lines))
    kind = source.randrange(5)
    if kind == 0:
        del lines[n]
    elif kind == 1:
        lines.insert(n, lines[n])
    elif kind == 2:
        m = source.randrange(len(lines))
        lines[n], lines[m] = lines[m], lines[n]
    elif kind == 3:
        lines.insert(n, source.choice(others))
    else:
        del lines[n:n + source.randrange(1, 8)]
    return lines


def mutate(source, text, other, words):
    """The text with one to three changes; `other` is a text to take lines of."""
    for _ in range(source.choice([1, 1, 1, 1, 2, 3])):
        kind = source.randrange(10)
        if kind < 6:
            tokens = tokens_of(text)
            text = "".join(change_token(source, tokens, words)) if tokens else text
        elif kind < 9:
            lines = text.splitlines(keepends=True)
            text = "".join(change_lines(source, lines, other.splitlines(keepends=True) or [""])) if lines else text
        else:
            cut, paste = source.randrange(len(text) + 1), source.randrange(len(other) + 1)
            text = text[:cut] + other[paste:]
    return text[:LONGEST]
