"""Takes credentials out of text that is kept, shown or logged: messages of errors come from anywhere."""

from __future__ import annotations

import logging
import re

_CREDENTIALS = re.compile(
    r"gh[a-z]_[A-Za-z0-9_.\-]{16,}"
    r"|github_pat_[A-Za-z0-9_]{16,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?<=://)[^/\s@]+(?=@)"
    r"|(?i:(?<=authorization: )|(?<=authorization:))[^\r\n]+",
    re.DOTALL,
)
_SHORTEST = 6
"""Characters of a secret that is looked for as it is: shorter ones are words of ordinary text."""
_concealed: list[str] = []


def conceal(*secrets: str) -> None:
    """Never let these very texts through `redact` any more, in this process and in those forked from it later."""
    for secret in secrets:
        if len(secret) >= _SHORTEST and secret not in _concealed:
            _concealed.append(secret)


def redact(text: str) -> str:
    """The text with `***` for what was concealed, tokens, keys, passwords in addresses and `Authorization` headers."""
    for secret in _concealed:
        text = text.replace(secret, "***")
    return _CREDENTIALS.sub("***", text)


class LogLines(logging.Formatter):
    """Lines for a log: without credentials, also those in a traceback, and nothing in them pretends to be a line."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s[%(process)d]: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One record; its further lines are indented."""
        text = redact(super().format(record)).replace("\n", "\n    ")
        return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)
