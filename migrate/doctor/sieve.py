"""Which phrases of known failures may stand in a block of a log: a quick look that keeps almost every block away.

A line is reduced to its shape: its letters in lower case. Numbers, times, blanks, quotes and colours fall away, so
the millions of lines of a job have some hundred shapes. Only a shape that has not been seen is searched for phrases,
and one that has none is remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_lowercase

from migrate.doctor.failures import Clue, Sign
from migrate.doctor.known import FAILURES, SIGNS

About = str | Sign
"""What a phrase may show: the id of a failure, or a sign."""
MOST_SHAPES, LONGEST_SHAPE = 20_000, 300
"""Shapes that are remembered, and the bytes of one: 6 MB at most."""
_ENDS = b"\r\n{}"
"""What parts shapes. Braces: an export of CloudWatch may be one line of JSON, and no phrase has any."""
_LETTERS = ascii_lowercase.replace("m", "").encode()
"""`m` ends what sets a colour, as in `ESC[31m`. Without it colours leave no trace, wherever in a phrase they stand."""
_TO_SHAPE = bytes(ord("\n") if byte in _ENDS else byte for byte in bytes(range(256)).lower())
_DROPPED = bytes(byte for byte in range(256) if bytes([byte]).lower() not in _LETTERS and byte not in _ENDS)
_SHARED = tuple(
    word.translate(_TO_SHAPE, _DROPPED)
    for word in (b"xla", b"device", b"loss", b"support", b"training compiler", b"no module named", b"out of memory",
                 b"sagemaker", b"currently", b"configur", b"argument", b"error", b"SIGKILL", b"smdistributed",
                 b"invoking")
)  # fmt: skip
"""Words that many phrases have: where one is not, none of its phrases is."""


@dataclass
class Probe:
    """A phrase, and what it may show."""

    shape: bytes
    anchor: bytes
    """Its longest word: where in a block to look closely."""
    clues: list[tuple[About, Clue]] = field(default_factory=list)


class Sieve:
    """The phrases that are still looked for, and the shapes that have none of them."""

    def __init__(self) -> None:
        self._groups = _group(_make_probes())
        self._dull: set[bytes] = set()

    def sift(self, block: bytes) -> list[Probe]:
        """The phrases that may stand in a block; each that does is among them."""
        fresh = set(shape_of(block).split(b"\n")) - self._dull
        text = b"\n".join(fresh)
        hit = [
            probe for word, probes in self._groups.items() if word in text for probe in probes if probe.shape in text
        ]
        if len(self._dull) > MOST_SHAPES:
            self._dull.clear()
        self._dull |= {
            shape
            for shape in fresh
            if len(shape) <= LONGEST_SHAPE and not (hit and any(probe.shape in shape for probe in hit))
        }
        return hit

    def drop(self, is_settled: Callable[[Probe], bool]) -> None:
        """Look no longer for phrases that have nothing more to tell."""
        left = [probe for probes in self._groups.values() for probe in probes if not is_settled(probe)]
        self._groups = _group(left)

    def forget(self) -> None:
        """Free what is remembered."""
        self._dull.clear()


def shape_of(text: bytes) -> bytes:
    """The shapes of some text, each in a line."""
    return text.translate(_TO_SHAPE, _DROPPED)


def _make_probes() -> list[Probe]:
    """One for each phrase, which several failures may have."""
    probes: dict[tuple[bytes, bytes], Probe] = {}
    about: list[tuple[About, Clue]] = [(failure.id, clue) for failure in FAILURES.values() for clue in failure.clues]
    about += [(sign, clue) for sign, clues in SIGNS.items() for clue in clues]
    for shown, clue in about:
        shape = shape_of(clue.phrase.encode())
        probes.setdefault((shape, clue.anchor), Probe(shape, clue.anchor)).clues.append((shown, clue))
    return list(probes.values())


def _group(probes: list[Probe]) -> dict[bytes, list[Probe]]:
    """By a word that is always there when the phrase is."""
    groups: dict[bytes, list[Probe]] = {}
    for probe in probes:
        word = next((shared for shared in _SHARED if shared in probe.shape), probe.shape)
        groups.setdefault(word, []).append(probe)
    return groups
