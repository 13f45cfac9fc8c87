"""Takes credentials out of text that is kept or shown: messages of errors come from anywhere."""

from __future__ import annotations

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


def redact(text: str) -> str:
    """The text with `***` for tokens, keys, passwords in addresses and `Authorization` headers."""
    return _CREDENTIALS.sub("***", text)
