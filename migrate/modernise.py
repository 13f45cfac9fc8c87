"""Python-2-era scripts made parseable."""

from __future__ import annotations


def modernise(source: str) -> tuple[str, tuple[str, ...]]:
    """The source in Python 3 syntax, and what was done to it; no words mean nothing could be done."""
    return source, ()
