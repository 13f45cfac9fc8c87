"""What was judged, a line of JSON each, so that a campaign can go on and its figures be drawn again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.generate.grammar import parse, spell
from tests.generate.verdict import Judgement


class Journal:
    """The judgements so far; in a file where there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.by_name: dict[str, Judgement] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        for line in lines:
            name, faults, said, invalid, ran, executions, details = json.loads(line)
            found = (tuple(faults), tuple(said), invalid, ran, executions, tuple(details))
            try:
                self.by_name[name] = Judgement(parse(name), *found)
            except ValueError:
                continue  # the grammar of then allowed it

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    @property
    def judgements(self) -> list[Judgement]:
        """All of them."""
        return list(self.by_name.values())

    def add(self, judgement: Judgement) -> None:
        """One more."""
        name = spell(judgement.vector)
        self.by_name[name] = judgement
        if self.path is not None:
            row = [name, judgement.faults, judgement.said, judgement.invalid, judgement.ran, judgement.executions,
                   judgement.details]  # fmt: skip
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps(row), file=file)
