"""Words and names from anywhere, as GitHub's Markdown that shows them as they are and acts on none of them."""

from __future__ import annotations

import re

# Also what turns the direction of writing: a name with it is not the name that is seen.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_PLAIN = re.compile(r"[\w ./,:;=()\[\]+-]*")
_SPECIAL = re.compile(r"([`*_\[\]~!])")
_LINKED = re.compile(r"(@|(?<!&)#|\bGH-(?=\d)|:(?=//)|\bwww(?=\.))", re.IGNORECASE)
_BREAK = "\u200b"
"""A blank of no width. GitHub makes links of `@name`, `#12` and addresses after it has read the Markdown, so that no
escape keeps it from that; this does."""


def escape(text: str) -> str:
    """Text as one line, also in a table, that is no markup and mentions nobody."""
    text = _SPECIAL.sub(r"\\\1", _entities(_visible(text)).replace("\\", "&#92;").replace("|", "&#124;"))
    return _LINKED.sub(rf"\1{_BREAK}", text)


def prose(text: str) -> str:
    """A sentence of ours about code: what stands between backticks as code, the rest as `escape` shows it."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or not all(part.strip() for part in parts[1::2]):
        return escape(text)
    return "".join(code(part) if index % 2 else _between(part) for index, part in enumerate(parts))


def code(text: str) -> str:
    """A name as code, also in a table or the text of a link."""
    text = _visible(text)
    if text and _PLAIN.fullmatch(text):
        return f"`{text}`"
    return f"<code>{''.join(char if char.isalnum() or char in ' ./-' else f'&#{ord(char)};' for char in text)}</code>"


def code_html(text: str) -> str:
    """A name as code where Markdown is not read: in a `<summary>`."""
    return f"<code>{_entities(_visible(text))}</code>"


def fence(body: str, language: str = "") -> str:
    """Lines as a block of code, whatever they hold."""
    longest = max(map(len, re.findall(r"`+", body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{body}{'' if body.endswith(chr(10)) or not body else chr(10)}{marks}\n"


def tame(markdown: str) -> str:
    """Markdown that is already made, with what GitHub would link or mention broken up."""
    return re.sub(r"(@|(?<!&)#(?=\d)|\bGH-(?=\d))", rf"\1{_BREAK}", markdown)


def clip(text: str, longest: int) -> str:
    """No more than so many characters of a text."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _between(text: str) -> str:
    """A piece of a line, with the blanks that part it from its neighbours."""
    if not text.strip():
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{escape(text)}{' ' * text[-1].isspace()}"


def _visible(text: str) -> str:
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def _entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
