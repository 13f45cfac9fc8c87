"""The programs that are broken: migrated goldens that train, with the originals they were made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from migrate.engine.certificate import Certificate
from migrate.engine.judge import judge
from tests.goldens import ROOT, TARGETS, Case, cases, project_sources
from tests.judge_mutants.planting import Source

_SEVERAL = re.compile(r"DistributedDataParallel|\bDDP\b|init_process_group|hvd\.|smdistributed|nn\.parallel\.")


@dataclass(frozen=True)
class Program:
    """A migrated golden that trains."""

    name: str
    target: str
    migrated: tuple[tuple[str, str], ...]
    original: tuple[tuple[str, str], ...]

    @cached_property
    def sources(self) -> list[Source]:
        """Its files, parsed."""
        return [Source(path, text, self.target) for path, text in self.migrated]

    @cached_property
    def parallel(self) -> bool:
        """Whether the original trains in several processes, and the migration starts them or is launched."""
        text = "\n".join(text for _, text in self.migrated)
        several = any(_SEVERAL.search(text) for _, text in self.original)
        return several and (self.target == "smtc" or "torch_xla.launch(" in text or "xmp.spawn(" in text)

    @cached_property
    def sound(self) -> bool:
        """Whether the judge sees a loop that trains, and nothing wrong."""
        return any(loop.trains for loop in self.certificate.loops) and not self.certificate.violated

    @cached_property
    def certificate(self) -> Certificate:
        """What the judge says of it as it is."""
        return self.judged({}, {})

    def judged(self, migrated: dict[str, str], original: dict[str, str]) -> Certificate:
        """What the judge says of it with other texts in the place of some."""
        return judge(dict(self.migrated) | migrated, dict(self.original) | original, target=TARGETS[self.target])


@cache
def programs() -> tuple[Program, ...]:
    """Every golden of these folders that goes backward."""
    return (*_scripts(), *_projects())


def _scripts() -> Iterator[Program]:
    for folder in ("scripts", "shapes", "pitfalls"):
        for case in cases(folder):
            for target in TARGETS if folder == "scripts" else ("xla",):
                if case.output(target).exists() and "backward(" in case.source:
                    path = case.path.name
                    migrated, original = ((path, case.expected(target)),), ((path, case.source),)
                    yield Program(f"{case.id}.{target}", target, migrated, original)


def _projects() -> Iterator[Program]:
    for folder in sorted((ROOT / "projects").iterdir()):
        original = project_sources(folder)
        migrated = tuple((path, Case(folder / path).expected("xla")) for path in original)
        yield Program(f"projects/{folder.name}.xla", "xla", migrated, tuple(original.items()))
