"""Joins the files of a project: who hands what to whom, across imports.

Each file is summarised by itself (`codemods.kit.flows`); here the summaries are joined and the values of known role are
spread along their flows. The work is linear in the number of flows, and no tree is held.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from codemods.kit.launch import Launch
from codemods.kit.links import Links
from codemods.kit.roles import Role, base_role
from codemods.kit.summary import LOCAL, Flow, Kind, Known, Place, Summary
from migrate.modules import Modules

_SEVERAL = (Launch.SPAWN, Launch.ENVIRONMENT, Launch.DATA_PARALLEL, Launch.XLA)
_MOST_VALUES = 8
"""Values kept at one place: a place with more is a container of everything and tells nothing."""
_LONGEST_CHAIN = 8


@dataclass(frozen=True)
class Spot:
    """A place in a file of the project."""

    file: str
    kind: Kind
    owner: str
    """Qualified name in the file."""
    name: str = ""
    path: tuple[int, ...] = ()


class Linked:
    """The linked files of a project."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        """`summaries` by path relative to the project's folder, with `/` between its parts."""
        self.summaries = summaries
        self.modules = Modules(summaries)
        self._values: dict[Spot, dict[Known, Known]] = defaultdict(dict)
        self._spread()

    # --- joining ----------------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        edges: dict[Spot, list[tuple[Spot, str]]] = defaultdict(list)
        queue: deque[tuple[Spot, Known]] = deque()
        for file, summary in self.summaries.items():
            for flow in summary.flows:
                for spot in self._spots(file, flow.place):
                    step = f"{flow.step} of {file}"
                    for source in self._sources(file, flow):
                        if isinstance(source, Known):
                            queue.append((spot, _longer(source, step)))
                        elif source != spot:
                            edges[source].append((spot, step))
            for derived, inherited in self._inheritance(file, summary):
                edges[inherited].append((derived, ""))
        while queue:
            spot, known = queue.popleft()
            held = self._values[spot]
            bare = replace(known, evidence=())
            if bare in held or len(held) >= _MOST_VALUES:
                continue
            held[bare] = known
            queue.extend((target, _longer(known, step)) for target, step in edges[spot])

    def _sources(self, file: str, flow: Flow) -> Iterator[Known | Spot]:
        if isinstance(flow.source, Known):
            yield replace(flow.source, evidence=tuple(f"{step} of {file}" for step in flow.source.evidence))
            return
        place = flow.source
        if place.kind is Kind.RETURNED:
            found = self.modules.definition(file, place.owner)
            if found is not None and found[1] in self.summaries[found[0]].classes:
                role = self.class_role(*found)
                if role is not Role.OTHER:
                    yield Known(role, found[1], evidence=(f"an instance of {found[1]} of {found[0]}",))
                return
        yield from self._spots(file, place)

    def _spots(self, file: str, place: Place) -> Iterator[Spot]:
        """The spots that a place of a file means."""
        if place.kind is Kind.ARGUMENT:
            called = self._function(file, place.owner)
            if called is not None:
                signature = self.summaries[called[0]].functions[called[1]]
                name = place.name
                if name.startswith("#"):
                    index = int(name[1:])
                    name = signature.positional[index] if index < len(signature.positional) else ""
                elif name not in signature.keywords:
                    name = ""
                if name:
                    yield Spot(called[0], Kind.PARAMETER, called[1], name)
            return
        if place.kind is Kind.RETURNED:
            called = self._function(file, place.owner)
            if called is not None:
                yield Spot(called[0], Kind.RETURNED, called[1], path=place.path)
            return
        found = self.modules.definition(file, place.owner)
        if found is not None:
            yield Spot(found[0], place.kind, found[1], place.name, place.path)

    def _function(self, file: str, owner: str) -> tuple[str, str] | None:
        """The function, method or constructor that a name means."""
        found = self.modules.definition(file, owner)
        if found is None:
            return None
        where, name = found
        if name in self.summaries[where].functions:
            return found
        if name in self.summaries[where].classes:
            return self._method(where, name, "__init__")
        class_, _, method = name.rpartition(".")
        return self._method(where, class_, method) if class_ else None

    def _method(self, file: str, class_: str, method: str) -> tuple[str, str] | None:
        """A method, looked up through the bases of its class."""
        for where, name in self._ancestry(file, class_):
            if f"{name}.{method}" in self.summaries[where].functions:
                return where, f"{name}.{method}"
        return None

    def _ancestry(self, file: str, class_: str) -> Iterator[tuple[str, str]]:
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
        read = {
            (flow.source.owner[1:], flow.source.name)
            for flow in summary.flows
            if isinstance(flow.source, Place)
            and flow.source.kind is Kind.ATTRIBUTE
            and flow.source.owner.startswith(LOCAL)
        }
        for class_, name in read:
            for where, base in self._ancestry(file, class_):
                if (where, base) != (file, class_):
                    yield Spot(file, Kind.ATTRIBUTE, class_, name), Spot(where, Kind.ATTRIBUTE, base, name)

    def class_role(self, file: str, class_: str) -> Role:
        """What instances of a class of the project are, by the library class at its root."""
        for where, name in self._ancestry(file, class_):
            for base in self.summaries[where].classes[name]:
                role = base_role(base)
                if role is not None:
                    return role
        return Role.OTHER

    # --- what a file gets -------------------------------------------------------------------------------------------

    @cached_property
    def _of_owner(self) -> dict[tuple[str, Kind, str], list[tuple[Spot, tuple[Known, ...]]]]:
        """What was found, by file, kind and owner."""
        found: dict[tuple[str, Kind, str], list[tuple[Spot, tuple[Known, ...]]]] = defaultdict(list)
        for spot, values in self._values.items():
            found[spot.file, spot.kind, spot.owner].append((spot, tuple(values.values())))
        return found

    def links(self, file: str) -> Links:
        """What the other files say about one file."""
        links = Links(several=file in self._in_several)
        summary = self.summaries[file]
        for function in summary.functions:
            for spot, values in self._of_owner.get((file, Kind.PARAMETER, function), ()):
                links.parameters[function, spot.name] = values
        bases = (base for bases in summary.classes.values() for base in bases)
        for name in {*summary.calls, *bases}:
            if not name.startswith(LOCAL):
                self._link_name(links, file, name)
        for name in summary.imports.values():
            found = self.modules.definition(file, name)
            values = self._held(Spot(found[0], Kind.VARIABLE, found[1])) if found is not None else ()
            if values:
                links.variables[name] = values
        for class_ in summary.classes:
            for where, base in self._ancestry(file, class_):
                if (where, base) != (file, class_):
                    for spot, values in self._of_owner.get((where, Kind.ATTRIBUTE, base), ()):
                        links.attributes.setdefault((class_, spot.name), values)
        return links

    def _held(self, spot: Spot) -> tuple[Known, ...]:
        return tuple(self._values[spot].values()) if spot in self._values else ()

    def _link_name(self, links: Links, file: str, name: str) -> None:
        found = self.modules.definition(file, name)
        if found is None or found[0] == file:
            return
        where, qualname = found
        if qualname in self.summaries[where].classes:
            links.classes[name] = self.class_role(where, qualname)
            return
        called = self._function(file, name)
        if called is not None:
            found_there = self._of_owner.get((called[0], Kind.RETURNED, called[1]), ())
            if found_there:
                links.returned[name] = {spot.path: values for spot, values in found_there}

    @cached_property
    def _in_several(self) -> set[str]:
        """Files that a script which starts several processes imports, directly or not."""
        queue = deque(file for file, summary in self.summaries.items() if summary.launch in _SEVERAL)
        seen = set(queue)
        while queue:
            file = queue.popleft()
            for module in self.summaries[file].modules:
                for found in self.modules.files_of(file, module):
                    if found not in seen:
                        seen.add(found)
                        queue.append(found)
        return seen


def _longer(known: Known, step: str) -> Known:
    if not step or len(known.evidence) >= _LONGEST_CHAIN:
        return known
    return replace(known, evidence=(*known.evidence, step))
