"""Whether real replicas can serve a script of several processes, and what is said of ranks that stood still.

Pure: from a script's text to a reason, from what the watching thread wrote (`child/replicas/watch.py`) to a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OLDEST = (2, 8)
"""The oldest torch_xla with whose CPU client collectives of several threads meet: not in 2.1 and 2.5, 2.7 untried."""

NEEDS_PROCESSES = (
    (re.compile(r"\bsignal\.(?:signal|alarm|setitimer)\("), "sets a signal handler, which a thread cannot"),
    (re.compile(r"""start_method\s*=\s*["']fork"""), "forks its processes, which then have what the first one set up"),
    (re.compile(r"\binit_process_group\("), "joins a process group, of which a process has one"),
    (re.compile(r"\bxr\.use_spmd\(|\bruntime\.use_spmd\("), "uses SPMD, which has one process"),
    (
        re.compile(r"\b(?:mp|multiprocessing)\.(?:Process|Pool|Queue|Manager)\("),
        "starts processes of its own beside the ranks",
    ),
    (re.compile(r"\bthreading\.Thread\(|\bThreadPoolExecutor\("), "starts threads of its own, which have no turn"),
    (re.compile(r"\bos\.(?:fork|_exit|abort)\("), "forks or ends its process"),
)
"""What threads cannot do in the place of processes, each with the words for it."""

ON_ONE_LINE = (
    ": on one line, so look for a batch of another shape on one of them, or for a 0 or 1, as the rank may be, which "
    "torch_xla compiles in"
)


@dataclass(frozen=True)
class Standstill:
    """Where the ranks of a process were when nothing happened any more."""

    what: str
    """"apart": each waits at a gate. "ungated": one waits in an operator that passed no gate. "waiting": they had
    waited for a second when the process ended for another reason."""
    ranks: tuple[str, ...]
    """Each as a part of a sentence."""

    @classmethod
    def read(cls, seen: Mapping[str, Any]) -> Standstill:
        """From the file of the watching thread."""
        return cls(str(seen["what"]), tuple(describe(rank) for rank in seen["ranks"]))

    @property
    def sentence(self) -> str:
        """What happened, to follow the name of the script."""
        where = ", ".join(self.ranks)
        if self.what == "ungated":
            return f"executed a collective inside an operator that the host computes: {where}"
        alike = {rank.partition(" ")[2].partition(" ")[2] for rank in self.ranks}
        return f"the ranks ran different graphs: {where}{ON_ONE_LINE if len(alike) == 1 else ''}"


def describe(rank: Mapping[str, Any]) -> str:
    """`rank 0 waits at train.py:33 (item)`."""
    name = f"rank {rank['rank']}"
    if rank["state"] == "ended":
        return f"{name} has ended"
    call = f" ({rank['call']})" if rank["call"] else ""
    place = f"at {rank['site']}" if rank["site"] else "outside the script"
    return f"{name} {'waits' if call else 'is'} {place}{call}"


def why_not(text: str, version: Sequence[int] | None, started_by_launcher: bool) -> str:
    """Why several threads cannot be the ranks of a script, to follow "since"; empty when they can.

    `text` is all that was migrated, `version` that of the torch_xla there is.
    """
    if version is None or tuple(version) < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        return f"real replicas need torch_xla {wanted} or newer"
    if started_by_launcher:
        return "a launcher outside the script starts its processes"
    return next((f"the script {words}" for pattern, words in NEEDS_PROCESSES if pattern.search(text)), "")
