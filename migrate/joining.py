"""Joins the files of a project: who hands what to whom, across imports.

Each file is summarised by itself (`codemods.kit.flows`); here the summaries are joined, and the values of known role
are spread along their flows. A call of a value ("loss_scaler(loss, optimizer)") is joined to its function when the
value gets there. The work is linear in the number of flows, and no tree is held.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from codemods.kit.roles import Role, base_role
from codemods.kit.summary import LITERAL, LOCAL, CallSite, Kind, Known, Place, Signature, Summary
from migrate.modules import Modules

_MOST_VALUES = 8
"""Values kept at one place: a place with more is a container of everything and tells nothing."""
LONGEST_CHAIN = 8
"""Steps of evidence kept, and calls followed."""
_INSTANCE, _DEFINITION = "instance of ", "definition of "
"""How `Known.of` begins for an object, a function or a class of the project; then "file:qualified name"."""


@dataclass(frozen=True)
class Spot:
    """A place in a file of the project."""

    file: str
    kind: Kind
    owner: str
    """Qualified name in the file."""
    name: str = ""
    path: tuple[int, ...] = ()


class Joined:
    """The files of a project, with what their places hold and what their calls run."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        """`summaries` by path relative to the project's folder, with `/` between its parts."""
        self.summaries = summaries
        self.modules = Modules(summaries)
        self.values: dict[Spot, dict[Known, Known]] = defaultdict(dict)
        self._edges: dict[Spot, list[tuple[Spot, str]]] = defaultdict(list)
        self._waiting: dict[Spot, list[tuple[str, CallSite]]] = defaultdict(list)
        """Calls of what a spot holds."""
        self._queue: deque[tuple[Spot, Known]] = deque()
        self._joined: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
        """(file, number of a call) -> the functions it calls."""
        self._paths: dict[tuple[str, str], set[tuple[int, ...]]] = defaultdict(set)
        """(file, number of a call) -> the parts of its result that are used."""
        self._spread()

    # --- joining ----------------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        for file, summary in self.summaries.items():
            for flow in summary.flows:
                for spot in self._spots(file, flow.place):
                    self._connect(file, (flow.source,), spot, f"{flow.step} of {file}")
            for derived, inherited in self._inheritance(file, summary):
                self._edges[inherited].append((derived, ""))
        for file, summary in self.summaries.items():
            for site in summary.calls:
                if site.callee:
                    self._join(file, site, self.function(file, site.callee))
                for source in self.resolved(file, site.receivers):
                    if isinstance(source, Spot):
                        self._waiting[source].append((file, site))
                    else:
                        self._call(source, file, site)
        while self._queue:
            spot, known = self._queue.popleft()
            held = self.values[spot]
            bare = replace(known, evidence=())
            if bare in held or len(held) >= _MOST_VALUES or not _may_come(known, spot):
                continue
            held[bare] = known
            for file, site in self._waiting.get(spot, ()):
                self._call(known, file, site)
            self._queue.extend((target, _longer(known, step)) for target, step in self._edges.get(spot, ()))

    def _connect(self, file: str, sources: Iterable[Known | Place], spot: Spot, step: str) -> None:
        """Let values come to a spot, those there already and those to come."""
        for source in self.resolved(file, sources):
            if isinstance(source, Known):
                self._queue.append((spot, _longer(source, step)))
            elif source != spot:
                self._edges[source].append((spot, step))
                self._queue.extend((spot, _longer(known, step)) for known in self.values.get(source, {}).values())

    def _call(self, value: Known, file: str, site: CallSite) -> None:
        """Join a call of a value, or of a method of it, to its function."""
        defined = defined_by(value)
        if defined is None:
            return
        where, name = defined
        if value.of.startswith(_INSTANCE):
            self._join(file, site, self._method(where, name, site.method or "__call__"))
        elif not site.method:
            function = self._callable(where, name)
            self._join(file, site, function, self.filled.get(function, 0) if function is not None else 0)

    @cached_property
    def filled(self) -> dict[tuple[str, str], int]:
        """How many positions of a function `functools.partial` fills, before others call what it gives."""
        found: dict[tuple[str, str], int] = {}
        for file, summary in self.summaries.items():
            for site in summary.calls:
                function = self.function(file, site.callee) if site.fills is not None and site.callee else None
                if function is not None and site.fills is not None:
                    found[function] = site.fills
        return found

    def _join(self, file: str, site: CallSite, function: tuple[str, str] | None, filled: int = 0) -> None:
        """Let the arguments of a call come to the parameters of a function, the first `filled` of which are passed
        already."""
        if function is None or function in self._joined[file, site.number]:
            return
        self._joined[file, site.number].add(function)
        where, name = function
        step = f"passed to {name.removesuffix('.__init__')}() at line {site.line} of {file}"
        for passed, sources in site.arguments:
            parameter = parameter_of(self.summaries[where].functions[name], passed, filled)
            if parameter:
                self._connect(file, sources, Spot(where, Kind.PARAMETER, name, parameter), step)
        for path in self._paths.get((file, str(site.number)), ()):
            returned = Spot(where, Kind.RETURNED, name, path=path)
            result = Spot(file, Kind.RESULT, "", str(site.number), path)
            self._edges[returned].append((result, ""))
            self._queue.extend((result, known) for known in self.values.get(returned, {}).values())

    def resolved(self, file: str, sources: Iterable[Known | Place]) -> Iterator[Known | Spot]:
        """Sources as a file spells them, as values or as spots of the project."""
        for source in sources:
            if isinstance(source, Known):
                made = f"{file}:{source.made}" if source.made else ""
                yield replace(source, evidence=tuple(f"{step} of {file}" for step in source.evidence), made=made)
                continue
            found = self.modules.definition(file, source.owner) if source.kind is not Kind.RESULT else None
            if found is not None and source.kind in (Kind.RETURNED, Kind.VARIABLE):
                where, name = found
                summary = self.summaries[where]
                if name in summary.classes and source.kind is Kind.RETURNED:
                    yield self._instance(where, name)
                    continue
                if name in summary.classes or (name in summary.functions and source.kind is Kind.VARIABLE):
                    yield Known(Role.OTHER, f"{_DEFINITION}{where}:{name}")
                    continue
            yield from self._spots(file, source)

    def _instance(self, file: str, class_: str) -> Known:
        role = self.class_role(file, class_)
        of = class_ if role is not Role.OTHER else f"{_INSTANCE}{file}:{class_}"
        return Known(role, of, evidence=(f"an instance of {class_} of {file}",))

    def _spots(self, file: str, place: Place) -> Iterator[Spot]:
        """The spots that a place of a file means."""
        if place.kind is Kind.RESULT:
            self._paths[file, place.name].add(place.path)
            yield Spot(file, Kind.RESULT, "", place.name, place.path)
        elif place.kind is Kind.RETURNED:
            called = self.function(file, place.owner)
            if called is not None:
                yield Spot(called[0], Kind.RETURNED, called[1], path=place.path)
        else:
            found = self.modules.definition(file, place.owner)
            if found is not None:
                yield Spot(found[0], place.kind, found[1], place.name, place.path)

    # --- functions and classes ----------------------------------------------------------------------------------------

    def function(self, file: str, owner: str) -> tuple[str, str] | None:
        """The function, method or constructor that a name means when it is called."""
        found = self.modules.definition(file, owner)
        return self._callable(*found) if found is not None else None

    def _callable(self, file: str, name: str) -> tuple[str, str] | None:
        if name in self.summaries[file].functions:
            return file, name
        if name in self.summaries[file].classes:
            return self._method(file, name, "__init__")
        class_, _, method = name.rpartition(".")
        return self._method(file, class_, method) if class_ else None

    def _method(self, file: str, class_: str, method: str) -> tuple[str, str] | None:
        """A method, looked up through the bases of its class."""
        for where, name in self.ancestry(file, class_):
            if f"{name}.{method}" in self.summaries[where].functions:
                return where, f"{name}.{method}"
        return None

    def ancestry(self, file: str, class_: str) -> Iterator[tuple[str, str]]:
        """A class of the project and its bases in the project, nearest first."""
        seen: set[tuple[str, str]] = set()
        queue = deque([(file, class_)])
        while queue:
            current = queue.popleft()
            where, name = current
            if current in seen or name not in self.summaries[where].classes:
                continue
            seen.add(current)
            yield current
            for base in self.summaries[where].classes[name]:
                found = self.modules.definition(where, base)
                if found is not None:
                    queue.append(found)

    def _inheritance(self, file: str, summary: Summary) -> Iterator[tuple[Spot, Spot]]:
        """For each attribute that a class reads and its bases set: (the class's, the base's)."""
        sources = [flow.source for flow in summary.flows]
        for site in summary.calls:
            sources += site.receivers
            sources += [source for _, passed in site.arguments for source in passed]
        read = dict.fromkeys(
            (source.owner[1:], source.name)
            for source in sources
            if isinstance(source, Place) and source.kind is Kind.ATTRIBUTE and source.owner.startswith(LOCAL)
        )
        for class_, name in read:
            for where, base in self.ancestry(file, class_):
                if (where, base) != (file, class_):
                    yield Spot(file, Kind.ATTRIBUTE, class_, name), Spot(where, Kind.ATTRIBUTE, base, name)

    def class_role(self, file: str, class_: str) -> Role:
        """What instances of a class of the project are, by the library class at its root."""
        for where, name in self.ancestry(file, class_):
            for base in self.summaries[where].classes[name]:
                role = base_role(base) if not base.startswith(LOCAL) else None
                if role is not None:
                    return role
        return Role.OTHER

    # --- what was found ---------------------------------------------------------------------------------------------

    @cached_property
    def of_owner(self) -> dict[tuple[str, Kind, str], list[tuple[Spot, tuple[Known, ...]]]]:
        """What was found, by file, kind and owner."""
        found: dict[tuple[str, Kind, str], list[tuple[Spot, tuple[Known, ...]]]] = defaultdict(list)
        for spot, values in self.values.items():
            found[spot.file, spot.kind, spot.owner].append((spot, tuple(values.values())))
        return found

    def called(self, file: str, site: CallSite) -> list[tuple[str, str]]:
        """The functions that a call of a file runs."""
        return sorted(self._joined.get((file, site.number), ())) if site.fills is None else []

    def held(self, spot: Spot) -> tuple[Known, ...]:
        return tuple(self.values[spot].values()) if spot in self.values else ()


def _may_come(known: Known, spot: Spot) -> bool:
    return spot.kind is Kind.PARAMETER or not known.of.startswith(LITERAL)


def defined_by(value: Known) -> tuple[str, str] | None:
    """The file and name of a function, a class or an instance's class of the project."""
    for beginning in (_INSTANCE, _DEFINITION):
        if value.of.startswith(beginning):
            file, _, name = value.of.removeprefix(beginning).rpartition(":")
            return file, name
    return None


def parameter_of(signature: Signature, passed: str, filled: int = 0) -> str:
    """The parameter that takes an argument, by keyword or "#position"; empty when none does."""
    if passed.startswith("#"):
        index = int(passed[1:]) + filled
        return signature.positional[index] if index < len(signature.positional) else ""
    return passed if passed in signature.keywords else ""


def _longer(known: Known, step: str) -> Known:
    if not step or len(known.evidence) >= LONGEST_CHAIN:
        return known
    return replace(known, evidence=(*known.evidence, step))
