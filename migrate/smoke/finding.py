"""What a finding is: one thing that a run of a migrated script shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

USUAL = 0.5
"""A rule about steps speaks when this share of them breaks it: a first or a last step is often unlike the others."""
SITES = 3
"""Lines that one finding names."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or costs time, in a migrated script."""

    kind: str
    """The rule, in a word or two with hyphens: "no-mark", "reduce-twice"."""
    error: bool
    """Whether the script is not to be used like this; a warning costs time only, or is for a person to look at."""
    text: str
    """One sentence with the numbers."""
    site: str = ""
    """The script's line, "train.py:42"; empty when it is nowhere in particular."""


def usual(sites: Iterable[str]) -> str:
    """The line that occurs most often; empty without any."""
    counted = Counter(site for site in sites if site)
    return counted.most_common(1)[0][0] if counted else ""
