"""Golden training scripts changed at random, line by line, token by token and statement by statement.

A mutant compiles; whether it would train does not matter. The same seed gives the same mutants.
"""

from __future__ import annotations

import ast
import io
import random
import tokenize
import warnings
from collections.abc import Callable, Iterator
from functools import cache

from migrate.lines import split_lines
from tests.goldens import cases

MOST = 4
"""Mutations of one mutant."""


def mutants(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """So many mutants, each with a name that makes it again."""
    for number in range(seed, seed + count):
        text = mutant(random.Random(number))
        if text is not None:
            yield f"mutant {number}", text


def mutant(chance: random.Random) -> str | None:
    """One golden script, mutated; None when none of the attempts compiles."""
    text = chance.choice(_sources())
    changed = False
    for _ in range(chance.randint(1, MOST)):
        other = chance.choice(MUTATIONS)(text, chance)
        if other != text and compiles(other):
            text, changed = other, True
    return text if changed else None


def compiles(text: str) -> bool:
    """Whether Python takes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.removeprefix("\ufeff"), "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@cache
def _sources() -> tuple[str, ...]:
    return tuple(case.source for case in cases() if case.source.strip() and compiles(case.source))


# --- lines --------------------------------------------------------------------------------------------------------


def drop_line(text: str, chance: random.Random) -> str:
    """Without one of its lines, if it has several."""
    lines = split_lines(text)
    if len(lines) < 2:
        return text
    del lines[chance.randrange(len(lines))]
    return "".join(lines)


def repeat_line(text: str, chance: random.Random) -> str:
    """With one line twice."""
    lines = split_lines(text)
    place = chance.randrange(len(lines))
    return "".join([*lines[: place + 1], *lines[place:]])


def move_line(text: str, chance: random.Random) -> str:
    """With one line somewhere else, at the indentation it finds there."""
    lines = split_lines(text) or [""]
    line = lines.pop(chance.randrange(len(lines)))
    place = chance.randrange(len(lines) + 1)
    beside = lines[place] if place < len(lines) else ""
    lines.insert(place, beside[: len(beside) - len(beside.lstrip())] + line.lstrip())
    return "".join(lines)


def join_lines(text: str, chance: random.Random) -> str:
    """With two simple statements on one line, as `a; b`."""
    lines = split_lines(text)
    place = chance.randrange(len(lines))
    following = "".join(lines[place + 1 : place + 2])
    return "".join([*lines[:place], lines[place].rstrip("\r\n"), "; ", following.lstrip(), *lines[place + 2 :]])


def comment_line(text: str, chance: random.Random) -> str:
    """With a comment, or characters that only some programs take for ends of lines, at the end of a line."""
    lines = split_lines(text)
    place = chance.randrange(len(lines))
    body = lines[place].rstrip("\r\n")
    added = chance.choice(["  # é", "  # a\x0cb\x0bc", "  # \u2028 \x85 \x1c", "\t", "   ", " \x0c"])
    lines[place] = body + added + lines[place][len(body) :]
    return "".join(lines)


# --- tokens -------------------------------------------------------------------------------------------------------

_WORDS = frozenset({tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP})


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, as offsets."""
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [
        (starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
        for token in found
        if token.type in _WORDS
    ]


def drop_token(text: str, chance: random.Random) -> str:
    """Without one of its words."""
    spans = _spans(text)
    if not spans:
        return text
    start, end = chance.choice(spans)
    return text[:start] + text[end:]


def replace_token(text: str, chance: random.Random) -> str:
    """With one word in place of another."""
    spans = _spans(text)
    if not spans:
        return text
    (start, end), (first, last) = chance.choice(spans), chance.choice(spans)
    return text[:start] + text[first:last] + text[end:]


def bracket_token(text: str, chance: random.Random) -> str:
    """With brackets and ends of lines around a word."""
    spans = _spans(text)
    if not spans:
        return text
    start, end = chance.choice(spans)
    before, after = chance.choice([("(", ")"), ("(\n", "\n)"), ("[", "][0]"), ("(y := ", ")"), ("(lambda: ", ")()")])
    return text[:start] + before + text[start:end] + after + text[end:]


# --- statements ---------------------------------------------------------------------------------------------------

_BLOCKS = ("if True:", "for _ in range(2):", "with open(p) as f:", "def wrapped():", "class Wrapped:", "try:",
           "while going:", "async def later():", "match 1:\n{0}case 1:")  # fmt: skip


def wrap_statement(text: str, chance: random.Random) -> str:
    """With one statement, or several that follow each other, in a block."""
    bodies = [
        node.body
        for node in ast.walk(ast.parse(text.removeprefix("\ufeff")))
        if isinstance(getattr(node, "body", None), list)
    ]
    body = chance.choice([body for body in bodies if body] or [[]])
    if not body:
        return text
    first = chance.randrange(len(body))
    last = min(len(body), first + chance.randint(1, 3)) - 1
    lines = split_lines(text)
    begin, end = body[first].lineno - 1, (body[last].end_lineno or 0)
    indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
    if chance.choice((True, False)):
        inner = [f"    {line}" if line.strip() else line for line in lines[begin:end]]
    else:
        inner = [f"\t{line}" if line.strip() else line for line in lines[begin:end]]
    head = chance.choice(_BLOCKS)
    tail = [f"{indent}finally:\n{indent}    pass\n"] if head == "try:" else []
    return "".join([*lines[:begin], f"{indent}{head.format(indent + ' ')}\n", *inner, *tail, *lines[end:]])


def rename(text: str, chance: random.Random) -> str:
    """With one name called otherwise everywhere, perhaps as another one."""
    spans = [(start, end) for start, end in _spans(text) if text[start:end].isidentifier()]
    if not spans:
        return text
    start, end = chance.choice(spans)
    old = text[start:end]
    new = chance.choice(["x", "model", "torch", "device", "self", "ünïcode", text[slice(*chance.choice(spans))]])
    pieces, place = [], 0
    for first, last in spans:
        if text[first:last] == old:
            pieces += [text[place:first], new]
            place = last
    return "".join([*pieces, text[place:]])


MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    drop_line, repeat_line, move_line, join_lines, comment_line,
    drop_token, replace_token, bracket_token,
    wrap_statement, wrap_statement, rename,
)  # fmt: skip
