"""What a migration would come to, for the person who plans it: shares, work by hand, CUDA code, costs on XLA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrate.callers import Callers, Use
from migrate.costs import COSTS, Cost
from migrate.findings import MANUAL, Effort, Finding, findings
from migrate.kernels import Kernel, Outline, may_hold_kernel, outline
from migrate.migration import Migration, Status

_EXTENSION = "TC911"
"""The rule for CUDA code of the script's own."""
_STEP = "TC4"
"""How rules about the training step begin: a file with one trains."""


@dataclass(frozen=True)
class Place:
    """A finding and its file."""

    file: str
    finding: Finding


@dataclass(frozen=True)
class FileWork:
    """What one file comes to."""

    file: str
    status: Status
    reason: str
    efforts: Counter[Effort]

    @property
    def worst(self) -> Effort:
        """The most that a person has to do in it."""
        order = list(Effort)
        return max((effort for effort in self.efforts if self.efforts[effort]), key=order.index, default=Effort.NOTHING)


@dataclass(frozen=True)
class UsedKernel:
    """CUDA code of the project's own, with what uses it."""

    kernel: Kernel
    chains: tuple[tuple[Use, ...], ...]
    """The shortest ways from its user to what starts it."""


@dataclass(frozen=True)
class Analysis:
    """A project, before anything is written."""

    target: str
    files: tuple[FileWork, ...]
    """Those with something to do or to say."""
    manual: tuple[Place, ...]
    """What is done by hand, the most work first."""
    unsaid: tuple[Place, ...]
    """Of them, CUDA code that only the project as a whole shows: no migration has a note of it."""
    kernels: tuple[UsedKernel, ...]
    cuda_files: tuple[str, ...]
    """The `.cu` and `.cuh` files."""
    costs: dict[Cost, tuple[Place, ...]]
    """What waits for the device, and what is compiled beyond the first step, by kind."""


@dataclass
class Analyst:
    """Takes in the files of a run, one by one, and keeps only what the analysis needs."""

    target: str
    read: Callable[[str], str | None]
    """The text of a file by its path; None when it cannot be read. A run keeps no text of files it has nothing to say
    of, and who uses a kernel may be among them."""
    paths: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileWork] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)

    def add(self, file: str, migration: Migration) -> None:
        """One file. `file`: its path, `/` between the parts."""
        self.paths[file] = migration.path
        found = findings(migration)
        if found or migration.status is not Status.UNCHANGED:
            efforts = Counter(finding.effort for finding in found)
            self.files[file] = FileWork(file, migration.status, migration.reason, efforts)
            self.places += [Place(file, finding) for finding in found]

    def conclude(self, cuda_files: tuple[str, ...] = ()) -> Analysis:
        """The analysis of all files."""
        kernels = self._kernels()
        unsaid = tuple(self._unsaid(kernels))
        for place in unsaid:
            work = self.files.setdefault(place.file, FileWork(place.file, Status.UNCHANGED, "", Counter()))
            work.efforts[place.finding.effort] += 1
        manual = [place for place in self.places if place.finding.effort in MANUAL] + list(unsaid)
        manual.sort(key=lambda place: -MANUAL.index(place.finding.effort))
        costs = {
            cost: tuple(place for place in self.places if cost in COSTS.get(place.finding.rule, ())) for cost in Cost
        }
        return Analysis(self.target, tuple(self.files.values()), tuple(manual), unsaid, kernels, cuda_files, costs)

    def _unsaid(self, kernels: tuple[UsedKernel, ...]) -> Iterator[Place]:
        said = {(place.file, place.finding.line) for place in self.places if place.finding.rule == _EXTENSION}
        for used in kernels:
            kernel = used.kernel
            if (kernel.file, kernel.line) not in said:
                message = f"{kernel.kind} {kernel.name}".rstrip() + " is written for CUDA"
                advice = "write it with torch operations: XLA compiles and fuses them"
                finding = Finding(_EXTENSION, kernel.line, "error", Effort.REDESIGN, message, advice)
                yield Place(kernel.file, finding)

    def _kernels(self) -> tuple[UsedKernel, ...]:
        """What the texts show. Only where there is a kernel are all files read for what uses it."""
        outlines = dict(self._outlines(may_hold_kernel))
        kernels = [kernel for one in outlines.values() for kernel in one.kernels]
        if not kernels:
            return ()
        callers = Callers(dict(self._outlines(lambda text: True)))
        training = {place.file for place in self.places if place.finding.rule.startswith(_STEP)}
        return tuple(UsedKernel(kernel, tuple(callers.chains(kernel, training))) for kernel in kernels)

    def _outlines(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Outline]]:
        for file, path in self.paths.items():
            text = self.read(path)
            if text is not None and wanted(text):
                yield file, outline(file, text)
