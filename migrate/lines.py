"""Physical and logical lines of Python text, as Python itself counts them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

# str.splitlines also breaks at form feeds, \x1c and U+2028, which Python does not count as ends of lines.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_LAYOUT = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER})


@dataclass(frozen=True)
class Comment:
    """One `#` comment."""

    line: int
    """1-based."""
    text: str
    alone: bool
    """Nothing but blanks before it on its line."""


@dataclass(frozen=True)
class Statement:
    """One logical line: a simple statement, several joined by `;`, or the header of a compound one."""

    first: int
    last: int
    """1-based lines, both inclusive."""
    word: str
    """Its first token: `import`, `for`, `@`, a name or a literal."""
    literal: bool
    """It starts with a string, as a docstring does."""


@dataclass(frozen=True)
class Outline:
    """The comments and the logical lines of a text, in order; up to the trouble when it does not tokenize."""

    comments: tuple[Comment, ...]
    statements: tuple[Statement, ...]


def split_lines(text: str) -> list[str]:
    """The physical lines with their ends: LF, CR LF or a lone CR."""
    return _LINE.findall(text)


def read_outline(text: str) -> Outline:
    """Tokenize `text`. Never raises: what follows an error is left out."""
    comments: list[Comment] = []
    statements: list[Statement] = []
    start: tokenize.TokenInfo | None = None
    try:
        for token in _tokens(text):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip() if token.start[0] == token.end[0] else False
                comments.append(Comment(token.start[0], token.string, alone))
            elif token.type == tokenize.NEWLINE:
                if start is not None:
                    statements.append(_statement(start, token.start[0]))
                start = None
            elif start is None and token.type not in _LAYOUT:
                start = token
    except (tokenize.TokenError, SyntaxError, ValueError):
        # IndentationError is a SyntaxError; a null byte is a ValueError or a SyntaxError, by Python version.
        pass
    return Outline(tuple(comments), tuple(statements))


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    # Python translates every end of line to LF before it tokenizes; `tokenize` alone does not know a lone CR.
    return tokenize.generate_tokens(io.StringIO("".join(_to_lf(line) for line in split_lines(text))).readline)


def _to_lf(line: str) -> str:
    body = line.rstrip("\r\n")
    return body if body == line else body + "\n"


def _statement(start: tokenize.TokenInfo, last: int) -> Statement:
    # From Python 3.12 an f-string starts with a token of its own type, FSTRING_START.
    literal = start.type == tokenize.STRING or start.string.lstrip("rRfFbBuU")[:1] in ("'", '"')
    return Statement(start.start[0], last, start.string, literal)
