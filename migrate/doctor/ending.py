"""How a log ends: with an exception, or in silence where work was going on.

A job that stands still says nothing of it, so these are guesses from the last messages, and are told as such.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from migrate.doctor.pieces import find_host, find_rank, read_text, strip_prefix

_LAST = 400
"""Messages looked at."""
_FRACTION = 0.5
"""Share of the last messages that tells what a job was doing."""
_BREAKS = re.compile(rb"\r?\n|\r|\\n|#015")
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]{0,200}(?::\s|:?$)")
_NAMED = re.compile(
    r"(?:[\w.]{0,200}(?:Error|Exception|Interrupt|Exit|Iteration|Warning)|[\w]{1,99}\.[\w.]{1,200})(?::\s|$)"
)
_COMPLAINT = re.compile(
    rb'ErrorMessage \\{0,2}"[^\r\n"\\]{3,400}|[\w./-]{1,100}\.py: error: [^\r\n]{1,400}'
    rb"|\b[A-Z][\w.]{0,80}(?:Error|Exception): [^\r\n\\]{1,400}"
)
_NCCL = re.compile(r"\bNCCL INFO\b")
_CONNECTED = re.compile(r"NCCL INFO (?:.{0,200}(?:Init|Destroy|Abort) COMPLETE|Launch mode)")
_SAVING = re.compile(
    r"\b(?:sav(?:e|ing)|writ(?:e|ing)|checkpointing)\b.{0,80}\b(?:checkpoint|model|optimizer|state)", re.I
)
_STEP = re.compile(r"\b(?:step|batch|iter(?:ation)?)\b\D{0,3}(\d{1,9})|(?<![\d.])(\d{1,9})/\d{1,9}(?![\d.])", re.I)
_EPOCH = re.compile(r"\bepoch\b\D{0,3}(\d{1,6})", re.I)
_STOPPED = re.compile(r"MaxRuntimeExceeded|Stopping the training job|exceeded the max(?:imum)? runtime", re.I)


def last_messages(tail: bytes) -> list[str]:
    """The last messages of a log as plain text, without blank ones. What is cut off at the front is left out."""
    parts = _BREAKS.split(tail)
    texts = [read_text(part[:2_000]) for part in (parts[1:] or parts)[-4 * _LAST :]]
    return [text for text in texts if text.strip()][-_LAST:]


def last_exception(trace: bytes) -> str:
    """The line that ends a traceback: what was raised. "" when the log breaks off before it.

    Several ranks may write between each other: only the lines of the one that began it are read.
    """
    texts = [read_text(part[:2_000]) for part in _BREAKS.split(trace)]
    rank = find_rank(texts[0]) if texts else None
    for text in texts[1:]:
        if find_rank(text) != rank:
            continue
        line = strip_prefix(text).rstrip()
        if _NAMED.match(line) or (_EXCEPTION.match(line) and not line.startswith("File ")):
            return line
    return ""


def last_complaint(tail: bytes) -> tuple[int, str]:
    """Of a log without a traceback: where in its end the last message is that tells of an error, and the message."""
    for match in reversed(list(_COMPLAINT.finditer(tail))):
        text = strip_prefix(read_text(match[0][:2_000])).strip()
        if text:
            return match.start(), text
    return 0, ""


def guess_stall(messages: Sequence[str], model_parallel: bool) -> tuple[str, str]:
    """The id of the stall that a log without any error ends in, and the message that shows it; "" for none."""
    said = [text for text in messages if not _STOPPED.search(text)]
    if not said:
        return "", ""
    if model_parallel and _SAVING.search(said[-1]):
        return "STL-ckpt", said[-1]
    nccl = [text for text in said[-20:] if _NCCL.search(text)]
    if len(nccl) >= _FRACTION * len(said[-20:]) and not any(_CONNECTED.search(text) for text in said):
        return "STL-init", nccl[-1]
    behind = _rank_behind(said)
    if behind and _STOPPED.search("\n".join(messages[-20:])):
        return "STL-end", behind
    return "", ""


def _rank_behind(said: Sequence[str]) -> str:
    """The last message of a rank that has not come as far as others; "" when all are equally far."""
    progress: dict[tuple[str, int], tuple[tuple[int, int], str]] = {}
    for text in said:
        rank = find_rank(text)
        step = _STEP.search(strip_prefix(text))
        if rank is None or step is None:
            continue
        epoch = _EPOCH.search(text)
        progress[find_host(text), rank] = (int(epoch[1]) if epoch else 0, int(step[1] or step[2])), text
    reached = {at for at, _ in progress.values()}
    return min(progress.values())[1] if len(reached) > 1 else ""
