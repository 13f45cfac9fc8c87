"""One HTML page that needs nothing else: no network, no other file, and no script but its own."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from migrate.unseen import escape

HERE = Path(__file__).parent


def render_page(title: str, body: Iterable[str]) -> Iterator[str]:
    """The page around a body. Only the script of the page may run, whatever stands in the scripts that are shown."""
    style, script = _asset("page.css"), _asset("page.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="generator" content="tc-migrate">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    yield from body
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def as_data(value: Any, name: str = "") -> str:
    """A value for the page's script. No text in it can end the element."""
    text = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json"{f" id={name}" if name else ""}>{text}</script>'


@cache
def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
