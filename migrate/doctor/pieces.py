"""One message of a log: where it begins and ends among the bytes, its plain text, and who wrote it.

A line of a file is often more than one message: progress bars return the carriage, an export of CloudWatch may hold all
messages of a job in one line of JSON, and a message may hold lines of its own, written as `\\n`.
"""

from __future__ import annotations

import re

BEFORE, AFTER = 1_000, 4_000
"""Bytes looked at on either side of a word, so that a line may be of any length."""
_SEPARATORS = (b"\n", b"\r", b"\\n", b"\\r", b"#015", b'"message"', b'"@message"')
# CloudWatch writes the escape character as `#033`, JSON as `\u001b`.
_COLOUR = re.compile(r"(?:\x1b|#033|\\u001b|\\x1b|\\033)\[[0-9;:?]{0,30}[A-Za-z]")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_MOJIBAKE = re.compile("\u00e2\u20ac(?:\u02dc|\u2122)")
"""Typographic quotes of UTF-8 that were read as Windows-1252."""
_ESCAPED_QUOTE = re.compile(r"\\{1,9}(['\"])")
_RANKS = (
    re.compile(r"\[1,(?:mpirank:)?(\d{1,5})(?:,[\w.-]{1,100})?\]<std(?:out|err)>"),
    re.compile(r"\bdevice=[A-Z_]{1,20}:(\d{1,5})\b"),
    re.compile(r"\[(?:rank ?|default)(\d{1,5})\]", re.IGNORECASE),
    re.compile(r"^\s{0,3}rank[ =:]{1,3}(\d{1,5})\b", re.IGNORECASE),
)
_JSON_STRING = re.compile(r'\s{0,4}:\s{0,4}"(.*?)(?:"\s{0,4}(?:,\s{0,4}"|\}|,?\s{0,4}$)|$)')
_PREFIX = re.compile(
    r"^(?:\s{0,3}(?:\[1,(?:mpirank:)?\d{1,5}(?:,[\w.-]{1,100})?\]<std(?:out|err)>:"
    r"|\[(?:rank|default)\d{1,5}\]:|\[\d{1,4}\]:(?=\s)|\(?RANK \d{1,5}\)?:|[\w.-]{0,80}algo-\d{1,4}[\w-]{0,40}\s{0,8}\|"
    r"|EVENTS\t(?:[\w./-]{1,600}\t){1,4}"
    r'|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:(?:Z|[+-]\d\d:?\d\d)?(?=\s)|,"?))){0,4} ?'
)
_SUFFIX = re.compile(r"\t\d{13}\s{0,2}$")
"""`aws logs --output text` puts the time last."""
_HOST = re.compile(r"(?<![A-Za-z0-9])algo-(\d{1,4})(?!\d)")
_STREAM = re.compile(r'logStreamName\\?"\s?:\s?\\?"([^"\\]{1,600})')


def find_bounds(block: bytes, position: int) -> tuple[int, int]:
    """Where the message around a position of a block begins and ends; no further away than BEFORE and AFTER."""
    start, end = max(0, position - BEFORE), min(len(block), position + AFTER)
    for mark in _SEPARATORS:
        found = block.rfind(mark, start, position)
        if found >= 0:
            start = found + len(mark)
        found = block.find(mark, position, end)
        if found >= 0:
            end = found
    return start, end


def read_text(piece: bytes) -> str:
    """A message as plain text: without colours, with plain quotes, what JSON escapes as it was."""
    text = piece.decode("utf-8", "replace")
    if "[" in text:
        text = _COLOUR.sub("", text)
    if not text.isascii():
        text = _MOJIBAKE.sub("'", text).translate(_QUOTES)
    if "\\" in text:
        text = _ESCAPED_QUOTE.sub(r"\1", text.replace("\\t", "\t"))
    return text


def find_rank(text: str) -> int | None:
    """The rank that a message names as its own."""
    for pattern in _RANKS:
        match = pattern.search(text)
        if match:
            return int(match[1])
    return None


def find_host(text: str) -> str:
    """The host that a message, a path or the name of a stream names; "" for none."""
    match = _HOST.search(text)
    return match[0] if match else ""


def find_stream(before: bytes) -> str:
    """The host that the JSON before a message names as the stream it belongs to; "" for none."""
    if b"logStreamName" not in before:
        return ""
    streams = _STREAM.findall(before.decode("utf-8", "replace"))
    return find_host(streams[-1]) if streams else ""


def strip_prefix(text: str) -> str:
    """A message without what a launcher, CloudWatch or docker compose puts before it, and JSON around it."""
    match = _JSON_STRING.match(text)
    return _SUFFIX.sub("", _PREFIX.sub("", match[1] if match else text, count=1))
