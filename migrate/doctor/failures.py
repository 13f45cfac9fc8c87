"""What is known of one failure: how a log shows it, what it means, what mends it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Certainty(Enum):
    """How far to trust a diagnosis."""

    CERTAIN = "certain"
    """The message has one meaning."""
    LIKELY = "likely"
    """The message has several causes, and this is the usual one."""
    HEURISTIC = "heuristic"
    """No message says it: it is guessed from what the log lacks, or how it ends."""


class Sign(Enum):
    """Something that a log shows and that is no failure. A failure may need it, or its absence."""

    STARTED = "the container printed what it runs"
    ASKED = "the job asks for the Training Compiler"
    BANNER = "the Training Compiler is active"
    ON_XLA = "a Trainer on the XLA device"
    ON_CUDA = "a Trainer on a CUDA device"
    MODEL_PARALLEL = "the SageMaker model parallel library"
    SUCCEEDED = "the container reports success"


@dataclass(frozen=True)
class Clue:
    """One text that shows something in a log."""

    phrase: str
    """Words that are always in it, next to each other. Only letters count, in either case: they are looked for "
    "first."""
    pattern: str = ""
    """What it looks like, in either case; empty: the phrase as it stands."""
    hint: str = ""
    """What this text tells beyond the diagnosis."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern. Every repetition in it is bounded: a log is written by whoever wants to."""
        return re.compile(self.pattern or re.escape(self.phrase), re.IGNORECASE)

    @cached_property
    def anchor(self) -> bytes:
        """The longest word of the phrase, which no formatting tears apart: where in a block to look closely."""
        words: list[str] = re.findall(r"[a-z_]+", self.phrase.lower())
        return max(words, key=len).encode()


@dataclass(frozen=True)
class Failure:
    """One known failure of a training job."""

    id: str
    summary: str
    diagnosis: str
    remedy: str
    """What to do, in the user's words. Lines that are indented are code."""
    document: str
    """Where this is established: vendor document and section, or the source of a package."""
    clues: tuple[Clue, ...] = ()
    """Any of them shows it. None: it is inferred from signs or from the end of the log."""
    certainty: Certainty = Certainty.CERTAIN
    follows: tuple[str, ...] = ()
    """Failures that bring it about, when the log shows them too."""
    part_of: str = ""
    """A failure that says the same and more; this one is not told when the log shows that."""
    rules: tuple[str, ...] = ()
    """Rules and aliases of rules that find its cause in a script or a launcher."""
    needs: Sign | None = None
    """What the log has to show besides."""
    harmless: bool = False
    """The job goes on: it is told last."""
    early: bool = False
    """The job ends before the Training Compiler would have said that it is active."""
