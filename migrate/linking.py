"""Joins the files of a project: who hands what to whom, across imports.

Each file is summarised by itself (`codemods.kit.flows`); here the summaries are joined, and the values of known role
are spread along their flows. A call of a value ("loss_scaler(loss, optimizer)") is joined to its function when the
value gets there. The work is linear in the number of flows, and no tree is held.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from codemods.kit.launch import Launch
from codemods.kit.links import Links
from codemods.kit.roles import Role, base_role
from codemods.kit.summary import LOCAL, CallSite, Kind, Known, Place, Signature, Summary
from migrate.modules import Modules

_SEVERAL = (Launch.SPAWN, Launch.ENVIRONMENT, Launch.DATA_PARALLEL, Launch.XLA)
_MOST_VALUES = 8
"""Values kept at one place: a place with more is a container of everything and tells nothing."""
_LONGEST_CHAIN = 8
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


class Linked:
    """The linked files of a project."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        """`summaries` by path relative to the project's folder, with `/` between its parts."""
        self.summaries = summaries
        self.modules = Modules(summaries)
        self._values: dict[Spot, dict[Known, Known]] = defaultdict(dict)
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
                    self._join(file, site, self._function(file, site.callee))
                for source in self._resolved(file, site.receivers):
                    if isinstance(source, Spot):
                        self._waiting[source].append((file, site))
                    else:
                        self._call(source, file, site)
        while self._queue:
            spot, known = self._queue.popleft()
            held = self._values[spot]
            bare = replace(known, evidence=())
            if bare in held or len(held) >= _MOST_VALUES:
                continue
            held[bare] = known
            for file, site in self._waiting.get(spot, ()):
                self._call(known, file, site)
            self._queue.extend((target, _longer(known, step)) for target, step in self._edges.get(spot, ()))

    def _connect(self, file: str, sources: Iterable[Known | Place], spot: Spot, step: str) -> None:
        """Let values come to a spot, those there already and those to come."""
        for source in self._resolved(file, sources):
            if isinstance(source, Known):
                self._queue.append((spot, _longer(source, step)))
            elif source != spot:
                self._edges[source].append((spot, step))
                self._queue.extend((spot, _longer(known, step)) for known in self._values.get(source, {}).values())

    def _call(self, value: Known, file: str, site: CallSite) -> None:
        """Join a call of a value, or of a method of it, to its function."""
        defined = _definition(value)
        if defined is None:
            return
        where, name = defined
        if value.of.startswith(_INSTANCE):
            self._join(file, site, self._method(where, name, site.method or "__call__"))
        elif not site.method:
            function = self._callable(where, name)
            self._join(file, site, function, self._filled.get(function, 0) if function is not None else 0)

    @cached_property
    def _filled(self) -> dict[tuple[str, str], int]:
        """How many positions of a function `functools.partial` fills, before others call what it gives."""
        found: dict[tuple[str, str], int] = {}
        for file, summary in self.summaries.items():
            for site in summary.calls:
                function = self._function(file, site.callee) if site.fills is not None and site.callee else None
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
            parameter = _parameter(self.summaries[where].functions[name], passed, filled)
            if parameter:
                self._connect(file, sources, Spot(where, Kind.PARAMETER, name, parameter), step)
        for path in self._paths.get((file, str(site.number)), ()):
            returned = Spot(where, Kind.RETURNED, name, path=path)
            result = Spot(file, Kind.RESULT, "", str(site.number), path)
            self._edges[returned].append((result, ""))
            self._queue.extend((result, known) for known in self._values.get(returned, {}).values())

    def _resolved(self, file: str, sources: Iterable[Known | Place]) -> Iterator[Known | Spot]:
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
            called = self._function(file, place.owner)
            if called is not None:
                yield Spot(called[0], Kind.RETURNED, called[1], path=place.path)
        else:
            found = self.modules.definition(file, place.owner)
            if found is not None:
                yield Spot(found[0], place.kind, found[1], place.name, place.path)

    # --- functions and classes ----------------------------------------------------------------------------------------

    def _function(self, file: str, owner: str) -> tuple[str, str] | None:
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
            for where, base in self._ancestry(file, class_):
                if (where, base) != (file, class_):
                    yield Spot(file, Kind.ATTRIBUTE, class_, name), Spot(where, Kind.ATTRIBUTE, base, name)

    def class_role(self, file: str, class_: str) -> Role:
        """What instances of a class of the project are, by the library class at its root."""
        for where, name in self._ancestry(file, class_):
            for base in self.summaries[where].classes[name]:
                role = base_role(base) if not base.startswith(LOCAL) else None
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
        """What the other files say about one file; nothing about a file that was not summarised."""
        if file not in self.summaries:
            return Links()
        links = Links(
            several=file in self._in_several,
            accelerated=file in self._accelerated,
            wanted=self._wanted.get(file, frozenset()),
            looped=frozenset(name for where, name in self._looped if where == file),
            device_texts=self._by_others("device_texts", file),
            device_reads=self._by_others("device_reads", file),
            device_asks=self._by_others("device_asks", file),
            scales=self._by_others("scales", file),
            lent=frozenset(self._taken(file)),
            trained=frozenset(number for where, number in self._trained if where == file),
            parallel=file in self._in_parallel,
            scaled=frozenset(number for where, number in self._scaled if where == file),
            averaged=frozenset(name for where, name in self._averaged if where == file),
            moves=self._handed(file, self._moving),
            saves=self._handed(file, self._saving),
            retied=frozenset(name for where, name in self._moved_elsewhere if where == file),
        )
        links.ties.update(self._ties)
        summary = self.summaries[file]
        for function in summary.functions:
            for spot, values in self._of_owner.get((file, Kind.PARAMETER, function), ()):
                links.parameters[function, spot.name] = values
        bases = (base for bases in summary.classes.values() for base in bases)
        for name in dict.fromkeys([*(site.callee for site in summary.calls if site.callee), *bases]):
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
        for spot, values in self._of_owner.get((file, Kind.RESULT, ""), ()):
            links.results.setdefault(int(spot.name), {})[spot.path] = values
        for site in summary.calls:
            if placed := self._placing(file, site):
                links.placed[site.number] = placed
            for where, name in self._called(file, site):
                if (where, name) not in self._stepping:
                    continue
                if where != file or not site.callee:
                    links.steps[site.number] = f"{name}() of {where} steps"
                if site.clips:
                    links.averages[site.number] = self._optimizer_in(where, name.rpartition(".")[0])
        return links

    def _optimizer_in(self, file: str, class_: str) -> str:
        """The one attribute of a class that holds an optimizer, or an empty string."""
        found = {
            spot.name
            for where, name in self._ancestry(file, class_)
            for spot, values in self._of_owner.get((where, Kind.ATTRIBUTE, name), ())
            if any(known.role is Role.OPTIMIZER for known in values)
        }
        return found.pop() if len(found) == 1 else ""

    def _handed(self, file: str, functions: set[tuple[str, str]]) -> frozenset[int]:
        """The calls of a file that run some of these functions, in another file."""
        return frozenset(
            site.number
            for site in self.summaries[file].calls
            if any(where != file and (where, name) in functions for where, name in self._called(file, site))
        )

    @cached_property
    def _wanted(self) -> dict[str, frozenset[str]]:
        """By file, the names at its top level that other files take from it."""
        found: dict[str, set[str]] = defaultdict(set)
        for file, summary in self.summaries.items():
            named = (site.callee for site in summary.calls if site.callee and not site.callee.startswith(LOCAL))
            for name in dict.fromkeys([*summary.imports.values(), *named]):
                located = self.modules.locate(file, name)
                if located is not None and located[0] != file and located[1]:
                    found[located[0]].add(located[1].partition(".")[0])
        return {file: frozenset(names) for file, names in found.items()}

    def _called(self, file: str, site: CallSite) -> list[tuple[str, str]]:
        """The functions that a call of a file runs."""
        return sorted(self._joined.get((file, site.number), ())) if site.fills is None else []

    def _held(self, spot: Spot) -> tuple[Known, ...]:
        return tuple(self._values[spot].values()) if spot in self._values else ()

    def _link_name(self, links: Links, file: str, name: str) -> None:
        found = self.modules.definition(file, name)
        if found is None or found[0] == file:
            return
        where, qualname = found
        if qualname in self.summaries[where].classes:
            links.classes[name] = self.class_role(where, qualname)
            ties = self.summaries[where].ties.get(qualname)
            if ties:
                links.ties[name] = ties
            return
        called = self._function(file, name)
        if called is not None:
            links.keywords[name] = self.summaries[called[0]].functions[called[1]].keywords
            found_there = self._of_owner.get((called[0], Kind.RETURNED, called[1]), ())
            if found_there:
                links.returned[name] = {spot.path: values for spot, values in found_there}

    @cached_property
    def _callers(self) -> dict[tuple[str, str], list[tuple[str, CallSite]]]:
        """The calls of each function, with the file they are in."""
        found: dict[tuple[str, str], list[tuple[str, CallSite]]] = defaultdict(list)
        for file, summary in self.summaries.items():
            for site in summary.calls:
                for function in self._called(file, site):
                    found[function].append((file, site))
        return found

    @cached_property
    def _stepping(self) -> set[tuple[str, str]]:
        """Functions that step an optimizer once for whoever calls them, in their own body or through others."""
        starts = [(file, name) for file, summary in self.summaries.items() for name in sorted(summary.stepping)]
        starts += [(file, site.function) for file, site, _ in self._stepped if site.function and not site.looped]
        return self._acting(starts)

    @cached_property
    def _moving(self) -> set[tuple[str, str]]:
        """Functions that move what they are given, in their own body or through others."""
        return self._acting((file, name) for file, summary in self.summaries.items() for name in sorted(summary.moving))

    @cached_property
    def _saving(self) -> set[tuple[str, str]]:
        """Functions that save a checkpoint, in their own body or through others."""
        starts = [(file, name) for file, summary in self.summaries.items() for name in sorted(summary.saving)]
        return self._acting(starts, looped=True)

    def _acting(self, starts: Iterable[tuple[str, str]], looped: bool = False) -> set[tuple[str, str]]:
        """Functions that do something for whoever calls them, and those that call such a function: outside of any loop,
        or anywhere."""
        queue = deque(starts)
        seen = set(queue)
        while queue:
            for file, site in self._callers.get(queue.popleft(), ()):
                caller = (file, site.function)
                if site.function and (looped or not site.looped) and caller not in seen:
                    seen.add(caller)
                    queue.append(caller)
        return seen

    @cached_property
    def _looped(self) -> set[tuple[str, str]]:
        """Those of them that every known caller repeats in a loop, itself or through its own callers."""
        return self._always(lambda file, site: site.looped)

    @cached_property
    def _averaged(self) -> set[tuple[str, str]]:
        """Those of them that every known caller calls with gradients it has clipped, and averaged before."""
        return self._always(self._averages)

    def _averages(self, file: str, site: CallSite) -> bool:
        """Whether a call steps with gradients that its function has clipped and, naming the optimizer, can average."""
        if not site.clips:
            return False
        passed = (source for _, sources in site.arguments for source in self._resolved(file, sources))
        held = (known for each in passed for known in ((each,) if isinstance(each, Known) else self._held(each)))
        return any(known.role is Role.OPTIMIZER for known in held) or any(
            self._optimizer_in(where, name.rpartition(".")[0]) for where, name in self._called(file, site)
        )

    def _always(self, holds: Callable[[str, CallSite], bool]) -> set[tuple[str, str]]:
        """Functions that step, of whose calls all are so, or are in functions of which all calls are."""
        found: set[tuple[str, str]] = set()
        for _ in range(_LONGEST_CHAIN):
            more = {
                function
                for function in self._stepping - found
                if self._callers.get(function)
                and all(holds(file, site) or (file, site.function) in found for file, site in self._callers[function])
            }
            if not more:
                break
            found |= more
        return found

    @cached_property
    def _stepped(self) -> list[tuple[str, CallSite, Role]]:
        """Calls of `step` on what other files say is an optimizer or a scaler, with its role."""
        found: list[tuple[str, CallSite, Role]] = []
        for file, summary in self.summaries.items():
            for site in summary.calls:
                roles = {known.role for known in self._receivers(file, site)} if site.method == "step" else set()
                role = next((role for role in (Role.SCALER, Role.OPTIMIZER) if role in roles), None)
                if role is not None and not self._implements_an_optimizer(file, site.function):
                    found.append((file, site, role))
        return found

    def _receivers(self, file: str, site: CallSite) -> Iterator[Known]:
        """What a call's receiver can be."""
        for source in self._resolved(file, site.receivers):
            yield from (source,) if isinstance(source, Known) else self._held(source)

    def _implements_an_optimizer(self, file: str, function: str) -> bool:
        """The inner step of an optimizer class: who steps the outer one steps."""
        class_ = function.rpartition(".")[0]
        return class_ in self.summaries[file].classes and self.class_role(file, class_) is Role.OPTIMIZER

    @cached_property
    def _scaled(self) -> set[tuple[str, int]]:
        """The calls that construct an optimizer which a file, not necessarily theirs, steps through a scaler."""
        scaled = [(file, summary.scaled) for file, summary in self.summaries.items()]
        scaled += [(f, dict(site.arguments).get("#0", ())) for f, site, role in self._stepped if role is Role.SCALER]
        return self._made(scaled)

    @cached_property
    def _trained(self) -> set[tuple[str, int]]:
        """The calls that construct a loader which a file, not necessarily theirs, trains on."""
        return self._made((file, summary.trained) for file, summary in self.summaries.items())

    def _made(self, used: Iterable[tuple[str, Iterable[Known | Place]]]) -> set[tuple[str, int]]:
        """The calls that construct what files say they use."""
        found: set[tuple[str, int]] = set()
        for file, sources in used:
            for source in self._resolved(file, sources):
                held = [source] if isinstance(source, Known) else list(self._values.get(source, {}).values())
                for where, _, number in (known.made.rpartition(":") for known in held if known.made):
                    found.add((where, int(number)))
        return found

    def _by_others(self, fact: str, file: str) -> frozenset[str]:
        """The attributes that files besides this one say something about."""
        return frozenset(name for name, files in self._attribute_facts[fact].items() if files - {file})

    @cached_property
    def _attribute_facts(self) -> dict[str, dict[str, set[str]]]:
        """For each fact, the attributes and the files it is a fact of; two are enough to tell."""
        found: dict[str, dict[str, set[str]]] = {}
        for fact in ("device_texts", "device_reads", "device_asks", "scales"):
            names = found.setdefault(fact, defaultdict(set))
            for file, summary in self.summaries.items():
                for name in getattr(summary, fact):
                    if len(names[name]) < 2:
                        names[name].add(file)
        return found

    def _taken(self, file: str) -> Iterator[str]:
        """The attributes that a file sets and others hand on or take."""
        for flow in self.summaries[file].flows:
            name = flow.place.name
            if flow.place.kind is Kind.ATTRIBUTE and self._lenders.get(name, frozenset()) - {file}:
                yield name

    @cached_property
    def _lenders(self) -> dict[str, set[str]]:
        """The files that hand on an attribute of a name, or take it from another object; two are enough to tell."""
        found: dict[str, set[str]] = defaultdict(set)
        for file, summary in self.summaries.items():
            for name in summary.lent:
                if len(found[name]) < 2:
                    found[name].add(file)
        return found

    @cached_property
    def _placed(self) -> set[tuple[str, str, str]]:
        """(file, function, parameter) of models that a function moves to the device, itself or through others."""
        found = {(file, *parameter) for file, summary in self.summaries.items() for parameter in summary.placing}
        queue = deque(sorted(found))
        while queue:
            where, function, parameter = queue.popleft()
            for file, site in self._callers.get((where, function), ()):
                for passed, sources in site.arguments:
                    if _parameter(self.summaries[where].functions[function], passed) != parameter:
                        continue
                    for source in sources:
                        if isinstance(source, Place) and source.kind is Kind.PARAMETER:
                            outer = (file, source.owner.removeprefix(LOCAL), source.name)
                            if outer not in found:
                                found.add(outer)
                                queue.append(outer)
        return found

    def _placing(self, file: str, site: CallSite) -> tuple[str, ...]:
        """The arguments of a call that are models which the function moves to the device."""
        return tuple(
            passed
            for where, name in self._called(file, site)
            for passed, _ in site.arguments
            if (where, name, _parameter(self.summaries[where].functions[name], passed)) in self._placed
        )

    @cached_property
    def _ties(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The weights shared by classes that a factory gives instances of, by the class's own name if it is the only
        one of that name."""
        files: dict[str, list[str]] = defaultdict(list)
        for file, summary in self.summaries.items():
            for name in summary.ties:
                files[name].append(file)
        return {name: self.summaries[where[0]].ties[name] for name, where in files.items() if len(where) == 1}

    @cached_property
    def _moved_elsewhere(self) -> set[tuple[str, str]]:
        """Classes that share weights and whose instances another file moves to the device."""
        owners = {name: file for file, summary in self.summaries.items() for name in summary.ties}
        found: set[tuple[str, str]] = set()
        for file, summary in self.summaries.items() if owners else ():
            for name in summary.moved:
                defined = self.modules.definition(file, name)
                if name in self._ties:
                    defined = owners[name], name
                if defined is not None and defined[0] != file:
                    found.add(defined)
        return found

    @cached_property
    def _in_several(self) -> set[str]:
        """Files that a script which starts several processes imports, directly or not."""
        return self._imported(file for file, summary in self.summaries.items() if summary.launch in _SEVERAL)

    @cached_property
    def _in_parallel(self) -> set[str]:
        """Files that a script which trains by `DataParallel` imports, directly or not."""
        parallel = (file for file, summary in self.summaries.items() if summary.launch is Launch.DATA_PARALLEL)
        return self._imported(parallel)

    @cached_property
    def _accelerated(self) -> set[str]:
        """Files that ask for an accelerator, and what they import, directly or not."""
        return self._imported(file for file, summary in self.summaries.items() if summary.accelerated)

    def _imported(self, files: Iterable[str]) -> set[str]:
        """Files with all that they import, directly or not."""
        queue = deque(files)
        seen = set(queue)
        while queue:
            importing = queue.popleft()
            for module in self.summaries[importing].modules:
                for imported in self.modules.files_of(importing, module):
                    if imported not in seen:
                        seen.add(imported)
                        queue.append(imported)
        return seen


def _definition(value: Known) -> tuple[str, str] | None:
    """The file and name of a function, a class or an instance's class of the project."""
    for beginning in (_INSTANCE, _DEFINITION):
        if value.of.startswith(beginning):
            file, _, name = value.of.removeprefix(beginning).rpartition(":")
            return file, name
    return None


def _parameter(signature: Signature, passed: str, filled: int = 0) -> str:
    """The parameter that takes an argument, by keyword or "#position"; empty when none does."""
    if passed.startswith("#"):
        index = int(passed[1:]) + filled
        return signature.positional[index] if index < len(signature.positional) else ""
    return passed if passed in signature.keywords else ""


def _longer(known: Known, step: str) -> Known:
    if not step or len(known.evidence) >= _LONGEST_CHAIN:
        return known
    return replace(known, evidence=(*known.evidence, step))
