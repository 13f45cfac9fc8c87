"""Characters that act and do not show: what moves a cursor, ends a line, or turns the direction of writing."""

from __future__ import annotations

import html
import re

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    r"""A text with these spelt as in Python: `\u202e`. Tabs and ends of lines stay."""
    return _UNSEEN.sub(lambda match: ascii(match[0])[1:-1], text)


def escape(text: str, quote: bool = True) -> str:
    """A text for HTML, with these spelt too: what a browser turns around is not what is run."""
    return html.escape(visible(text), quote)
