"""What the files of a project say about each other: for each file the `Links` that its migration is given."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, TypeVar

from codemods.kit.asks import was_on_one
from codemods.kit.command_line import CommandLine
from codemods.kit.job_scripts import JobScript
from codemods.kit.launch import Launch
from codemods.kit.links import Links
from codemods.kit.roles import Role
from codemods.kit.summary import LITERAL, LOCAL, Kind, Known, Place, Summary
from migrate.acting import Acting
from migrate.disputes import Disputes
from migrate.joining import Joined, Spot
from migrate.modules import Paths
from migrate.programs import code, imported_names
from migrate.reach import join
from migrate.started import SETUP, consoles
from migrate.starting import Starting

if TYPE_CHECKING:
    from codemods.kit.meaning.shown import Meaning

_SEVERAL = (Launch.SPAWN, Launch.ENVIRONMENT, Launch.DATA_PARALLEL, Launch.XLA)
_BY_OTHERS = (
    "device_texts", "device_reads", "device_asks", "counts_read", "logs_set_up", "prefetching", "scales", "lent"
)  # fmt: skip
"""Facts of a file that the others of its program are told."""


class Linked:
    """The linked files of a project."""

    def __init__(self, summaries: Mapping[str, Summary], sources: Mapping[str, str] | None = None) -> None:
        """`summaries`, and the texts they are of, by path relative to the project's folder, with `/` between its
        parts."""
        self.summaries = summaries
        self._sources = sources or {}
        self.joined = Joined(summaries)
        self.acting = Acting(self.joined)
        self.disputes = Disputes(self.joined, self.acting)

    def links(self, file: str) -> Links:
        """What the other files say about one file; nothing about a file that was not summarised."""
        if file not in self.summaries:
            return Links()
        links = Links(
            meaning=self._meaning(file),
            several=file in self._in_several,
            started=file in self._started,
            accelerated=file in self._accelerated,
            wanted=self._wanted.get(file, frozenset()),
            looped=self._looped.get(file, frozenset()),
            repeated=self._repeated.get(file, frozenset()),
            device_texts=self._by_others("device_texts", file),
            device_reads=self._by_others("device_reads", file),
            device_asks=self._by_others("device_asks", file),
            counts_read=self._by_others("counts_read", file),
            logs_set_up=self._by_others("logs_set_up", file),
            prefetching=self._by_others("prefetching", file),
            scales=self._by_others("scales", file),
            lent=frozenset(self._taken(file)),
            trained=self._trained.get(file, frozenset()),
            parallel=file in self._in_parallel,
            scaled=self._scaled.get(file, frozenset()),
            averaged=self._averaged.get(file, frozenset()),
            moves=self._handed(file, self.acting.moving),
            reading=self._handed(file, self.acting.reading),
            saves=self._handed(file, self.acting.saving),
            saving=frozenset(self._saving_methods(file)),
            joins=self._joins.get(file, frozenset()),
            spawns=self._spawns.get(file, frozenset()),
            parses=self._handed(file, self.acting.parsing),
            trains=self._trains_below(file),
            drives=file in self._drives,
            wrapped=self._programs[file] in self._wrapping,
            unstarted=self._is_unstarted(file),
            joined=file in self._joined_by_import,
            retied=self._moved_elsewhere.get(file, frozenset()),
            disputes=self.disputes.of_file.get(file, {}),
            staying=self.disputes.staying.get(file, {}),
            jobs=dict(self._jobs(file)),
            native=self._starting.natively(file)[0],
            torn=self._starting.natively(file)[1],
            consoles=frozenset(self._consoles(file)),
        )
        links.ties.update(self._ties)
        summary = self.summaries[file]
        for function in summary.functions:
            for spot, values in self.joined.of_owner.get((file, Kind.PARAMETER, function), ()):
                known = tuple(value for value in values if not value.of.startswith(LITERAL))
                if known:
                    links.parameters[function, spot.name] = known
        bases = (base for bases in summary.classes.values() for base in bases)
        for name in dict.fromkeys([*(site.callee for site in summary.calls if site.callee), *bases]):
            if not name.startswith(LOCAL):
                self._link_name(links, file, name)
        for name in dict.fromkeys([*summary.imports.values(), *sorted(summary.outside)]):
            found = self.joined.modules.definition(file, name)
            values = self.joined.held(Spot(found[0], Kind.VARIABLE, found[1])) if found is not None else ()
            if values:
                links.variables[name] = values
        links.effects.update(self._effects(file))
        for class_ in summary.classes:
            for where, base in self.joined.ancestry(file, class_):
                if (where, base) != (file, class_):
                    for spot, values in self.joined.of_owner.get((where, Kind.ATTRIBUTE, base), ()):
                        links.attributes.setdefault((class_, spot.name), values)
        for spot, values in self.joined.of_owner.get((file, Kind.RESULT, ""), ()):
            links.results.setdefault(int(spot.name), {})[spot.path] = values
        for site in summary.calls:
            if placed := self.acting.placing(file, site):
                links.placed[site.number] = placed
            if devices := self.acting.devices(file, site):
                links.devices[site.number] = devices
            for where, name in self.joined.called(file, site):
                if (where, name) not in self.acting.stepping:
                    continue
                if self.disputes.schedules(file, site, (where, name)):
                    continue
                if where != file or not site.callee:
                    links.steps[site.number] = f"{name}() of {where} steps"
                if site.clips or self.disputes.averages(file, site, (where, name)):
                    links.averages[site.number] = self.acting.optimizers(file, site, (where, name))
        return links

    def _meaning(self, file: str) -> Meaning:
        """What a file shows when the program is executed; nothing where that did not come to it."""
        from codemods.kit.meaning.shown import Meaning  # loaded where there is something to migrate

        return self._meanings.get(file, Meaning())

    @cached_property
    def _meanings(self) -> Mapping[str, Meaning]:
        """By file, what it shows when the program is executed abstractly."""
        from migrate.engine.originals import meanings

        return meanings(self._sources)

    def _jobs(self, file: str) -> Iterator[tuple[int, JobScript]]:
        """The training scripts that a launcher names, each as it is with all that it imports."""
        for started in self.summaries[file].started:
            found = self._starting.script_of(file, started)
            if found is None:
                continue
            top, entry = found
            setup = normpath(join(top, f"{started.folder}/{SETUP}")) if started.folder else ""
            command_line, ranked = CommandLine(), False
            parts = self._imported([entry])
            for part in parts:
                summary = self.summaries[part]
                known = (self.joined.modules.definition(part, name) for name in summary.command_line.handed)
                opaque = CommandLine(opaque=any(found is None for found in known))
                command_line = command_line.joined(summary.command_line).joined(opaque)
                ranked = ranked or summary.job_role.ranked
            script = self.summaries[entry]
            native, torn = self._starting.natively(entry)
            moves = any(self.summaries[part].accelerated for part in parts)
            left = bool(native) and not torn
            role = replace(script.job_role, ranked=ranked, stays=script.stays, left=left, moves=moves)
            yield started.number, JobScript(entry, role, command_line, setup if setup in self.summaries else "")

    @cached_property
    def _starting(self) -> Starting:
        return Starting(self.summaries, self._below)

    def _consoles(self, file: str) -> Iterator[str]:
        """The console scripts of a setup.py that a launcher started in several processes: those which do not spawn
        them."""
        for module, name in consoles(self._sources.get(file, "")) if file.endswith(SETUP) else ():
            found = self.joined.modules.definition(file, f"{module}.{name}")
            if found is not None and found[0] not in self._spawns:
                told = self.summaries[found[0]].launch in (Launch.ENVIRONMENT, Launch.DATA_PARALLEL)
                if told or found[0] in self._joins or found[0] in self._drives:
                    yield f"{module}:{name}"

    def _trains_below(self, file: str) -> bool:
        """Whether a file imports, directly or not, one that trains and one that asks for an accelerator."""
        below = [self.summaries[other] for other in self._imported([file]) if other != file]
        return any(each.trains for each in below) and any(each.accelerated for each in below)

    def _handed(self, file: str, functions: set[tuple[str, str]]) -> frozenset[int]:
        """The calls of a file that run some of these functions, in another file."""
        return frozenset(
            site.number
            for site in self.summaries[file].calls
            if any(where != file and (where, name) in functions for where, name in self.joined.called(file, site))
        )

    def _saving_methods(self, file: str) -> Iterator[str]:
        """The names of the methods that save, of classes in the other files of a file's program."""
        for where, name in self.acting.saving:
            class_, _, method = name.rpartition(".")
            if where != file and class_ in self.summaries[where].classes:
                if self._programs[where] == self._programs[file]:
                    yield method

    @cached_property
    def _joins(self) -> dict[str, frozenset[int]]:
        """By file, the calls by which its process joins a group; in a program that spawns, the spawned ones do."""
        spawning = {self._programs[file] for file, each in self.summaries.items() if each.launch is Launch.SPAWN}
        found = {file: self._handed(file, self.acting.joining) for file in self.summaries}
        return {file: calls for file, calls in found.items() if calls and self._programs[file] not in spawning}

    @cached_property
    def _spawns(self) -> dict[str, frozenset[int]]:
        """By file, the calls of functions in other files that spawn the processes."""
        found = {file: self._handed(file, self.acting.spawning) for file in self.summaries}
        return {file: calls for file, calls in found.items() if calls}

    @cached_property
    def _drives(self) -> set[str]:
        """Files that call functions of other files by which a model is trained on several GPUs of one process: they
        train it, or give it to who does. An object that has such a model inside, a loss of another network, does not
        count."""
        found: set[str] = set()
        for file, summary in self.summaries.items():
            if summary.is_entry and self._meanings.get(file) is not None and self._meanings[file].drives:
                found.add(file)  # by a class from a table, or whatever else reading does not follow
            for site in summary.calls:
                for where, name in self.joined.called(file, site):
                    given = summary.trains and not name.endswith("__init__")
                    trains = given or self.summaries[where].trains
                    if where != file and trains and (where, name) in self.acting.driving:
                        found.add(file)
        return found

    @cached_property
    def _wrapping(self) -> set[str]:
        """The programs that wrap networks and ask for none inside of a wrapper: `module.` is before all keys."""
        opening = {self._programs[file] for file, summary in self.summaries.items() if summary.opens}
        return {self._programs[file] for file, summary in self.summaries.items() if summary.wraps} - opening

    def _is_unstarted(self, file: str) -> bool:
        """Whether files of a program drive several GPUs of one process, and no script of it is seen to come to that:
        what is no script itself cannot start several processes in its place."""
        program = [one for one in self.summaries if self._programs[one] == self._programs[file]]
        driving = {one for one in program if self.summaries[one].launch is Launch.DATA_PARALLEL}
        if not driving or any(self.summaries[one].is_entry for one in driving):
            return False
        trains = any(self.summaries[one].trains or self.summaries[one].stepping for one in program)
        scripts = [one for one in program if self.summaries[one].is_entry and driving & self._imported([one])]
        return trains and bool(scripts) and not any(one in self._starters for one in scripts)

    def _effects(self, file: str) -> Iterator[str]:
        for name in self.summaries[file].imports.values():
            located = self.joined.modules.locate(file, name)
            if located is not None and self.summaries[located[0]].acts:
                yield name

    @cached_property
    def _wanted(self) -> dict[str, frozenset[str]]:
        """By file, the names at its top level that other files take from it; "*" for those they do not name."""
        found: dict[str, set[str]] = defaultdict(set)
        for file, summary in self.summaries.items():
            taken = (self.joined.modules.locate(file, name) for name in summary.stars)
            for where in {located[0] for located in taken if located is not None} - {file}:
                found[where].add("*")
            named = (site.callee for site in summary.calls if site.callee and not site.callee.startswith(LOCAL))
            for name in dict.fromkeys([*summary.imports.values(), *sorted(summary.outside), *named]):
                located = self.joined.modules.locate(file, name)
                if located is not None and located[0] != file and located[1]:
                    found[located[0]].add(located[1].partition(".")[0])
        return {file: frozenset(names) for file, names in found.items()}

    def _link_name(self, links: Links, file: str, name: str) -> None:
        found = self.joined.modules.definition(file, name)
        if found is None or found[0] == file:
            return
        where, qualname = found
        if qualname in self.summaries[where].classes:
            links.classes[name] = self.joined.class_role(where, qualname)
            ties = self.summaries[where].ties.get(qualname)
            if ties:
                links.ties[name] = ties
            return
        called = self.joined.function(file, name)
        if called is not None:
            links.keywords[name] = self.summaries[called[0]].functions[called[1]].keywords
            found_there = self.joined.of_owner.get((called[0], Kind.RETURNED, called[1]), ())
            if found_there:
                links.returned[name] = {spot.path: values for spot, values in found_there}

    @cached_property
    def _looped(self) -> dict[str, frozenset[str]]:
        return by_file(self.acting.looped)

    @cached_property
    def _repeated(self) -> dict[str, frozenset[str]]:
        """By file, its functions that loops of other files call."""
        callers = self.acting.callers.items()
        return by_file(
            (where, name) for (where, name), sites in callers if any(f != where and site.looped for f, site in sites)
        )

    @cached_property
    def _averaged(self) -> dict[str, frozenset[str]]:
        return by_file(self.acting.averaged)

    @cached_property
    def _scaled(self) -> dict[str, frozenset[int]]:
        """The calls that construct an optimizer which a file, not necessarily theirs, steps through a scaler."""
        scaled = [(file, summary.scaled) for file, summary in self.summaries.items()]
        scaled += [
            (f, dict(site.arguments).get("#0", ())) for f, site, role in self.acting.stepped if role is Role.SCALER
        ]
        return self._made(scaled)

    @cached_property
    def _trained(self) -> dict[str, frozenset[int]]:
        """The calls that construct a loader which a file, not necessarily theirs, trains on."""
        return self._made((file, summary.trained) for file, summary in self.summaries.items())

    def _made(self, used: Iterable[tuple[str, Iterable[Known | Place]]]) -> dict[str, frozenset[int]]:
        """The calls that construct what files say they use."""
        found: set[tuple[str, int]] = set()
        for file, sources in used:
            for source in self.joined.resolved(file, sources):
                held = [source] if isinstance(source, Known) else list(self.joined.values.get(source, {}).values())
                for where, _, number in (known.made.rpartition(":") for known in held if known.made):
                    found.add((where, int(number)))
        return by_file(found)

    def _by_others(self, fact: str, file: str) -> frozenset[str]:
        """The attributes that files of the same program, besides this one, say something about."""
        told = self._attribute_facts[fact].get(self._programs[file], {})
        return frozenset(name for name, files in told.items() if files - {file})

    @cached_property
    def _attribute_facts(self) -> dict[str, dict[str, dict[str, set[str]]]]:
        """For each fact, by program, the attributes and the files it is a fact of; two are enough to tell."""
        found: dict[str, dict[str, dict[str, set[str]]]] = {}
        for fact in _BY_OTHERS:
            programs = found.setdefault(fact, defaultdict(lambda: defaultdict(set)))
            for file, summary in self.summaries.items():
                names = programs[self._programs[file]]
                for name in getattr(summary, fact):
                    if len(names[name]) < 2:
                        names[name].add(file)
        return found

    @cached_property
    def _programs(self) -> dict[str, str]:
        """The program each file belongs to, by one of its files: files that import each other, directly or not, in
        either direction. An attribute's name alone says nothing across programs."""
        program = {file: file for file in self.summaries}

        def root(file: str) -> str:
            while program[file] != file:
                program[file] = program[program[file]]
                file = program[file]
            return file

        for file, below in self._below.items():
            for imported in below:
                program[root(imported)] = root(file)
        return {file: root(file) for file in program}

    def _taken(self, file: str) -> Iterator[str]:
        """The attributes that a file sets and others hand on or take."""
        lent = self._by_others("lent", file)
        for flow in self.summaries[file].flows:
            if flow.place.kind is Kind.ATTRIBUTE and flow.place.name in lent:
                yield flow.place.name

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
    def _moved_elsewhere(self) -> dict[str, frozenset[str]]:
        """Classes that share weights and whose instances another file moves to the device."""
        owners = {name: file for file, summary in self.summaries.items() for name in summary.ties}
        found: set[tuple[str, str]] = set()
        for file, summary in self.summaries.items() if owners else ():
            for name in summary.moved:
                defined = self.joined.modules.definition(file, name)
                if name in self._ties:
                    defined = owners[name], name
                if defined is not None and defined[0] != file:
                    found.add(defined)
        return by_file(found)

    @cached_property
    def _in_several(self) -> set[str]:
        """Files that a script which starts several processes imports, directly or not."""
        return self._imported(self._starters)

    @cached_property
    def _starters(self) -> list[str]:
        """Files that start several processes, by themselves or by what they import."""
        started = (file for file, summary in self.summaries.items() if summary.launch in _SEVERAL)
        return list(dict.fromkeys([*started, *self._joins, *self._joined_by_import, *self._spawns, *self._drives]))

    @cached_property
    def _started(self) -> set[str]:
        """Files that another file, which starts several processes, imports."""
        return {file for one in self._starters for file in self._imported([one]) if file != one}

    @cached_property
    def _joined_by_import(self) -> set[str]:
        """Files that import, directly or not, one that joins the process group when it is imported."""
        joining = [file for file, summary in self.summaries.items() if "" in summary.joining]
        return self._importing(joining) if joining else set()

    @cached_property
    def _in_parallel(self) -> set[str]:
        """Files that a script which trains by `DataParallel` imports, directly or not."""
        parallel = (file for file, summary in self.summaries.items() if summary.launch is Launch.DATA_PARALLEL)
        return self._imported([*parallel, *self._drives])

    @cached_property
    def _accelerated(self) -> set[str]:
        """Files that ask for an accelerator, the scripts that import such a file, and what any of these imports,
        directly or not."""
        asking = {
            file
            for file, summary in self.summaries.items()
            if summary.accelerated or was_on_one(self._meanings.get(file))
        }
        return self._imported([*asking, *(file for file in self._importing(asking) if self.summaries[file].is_entry)])

    @cached_property
    def _below(self) -> dict[str, tuple[str, ...]]:
        """By file, what it imports itself, or by way of files that have no part in training."""
        paths = Paths({**self.summaries, **self._sources})
        idle = {file: text for file, text in self._sources.items() if file not in self.summaries}
        names = {file: imported_names(code(file, text)) for file, text in idle.items()}
        names |= {file: tuple(sorted(summary.modules)) for file, summary in self.summaries.items()}
        imported = {file: [one for name in some for one in paths.files_of(file, name)] for file, some in names.items()}
        below: dict[str, tuple[str, ...]] = {}
        for file in self.summaries:
            found: dict[str, None] = {}
            queue = [file]
            for each in queue:
                for other in imported[each]:
                    if other in self.summaries:
                        found[other] = None
                    elif other not in queue:
                        queue.append(other)
            below[file] = tuple(found)
        return below

    def _importing(self, files: Iterable[str]) -> set[str]:
        """The files that import any of these, directly or not."""
        above: dict[str, list[str]] = defaultdict(list)
        for file, below in self._below.items():
            for imported in below:
                above[imported].append(file)
        found: set[str] = set()
        queue = list(files)
        while queue:
            more = [file for file in above[queue.pop()] if file not in found]
            found.update(more)
            queue += more
        return found

    def _imported(self, files: Iterable[str]) -> set[str]:
        """Files with all that they import, directly or not."""
        queue = deque(files)
        seen = set(queue)
        while queue:
            for imported in self._below[queue.popleft()]:
                if imported not in seen:
                    seen.add(imported)
                    queue.append(imported)
        return seen


Fact = TypeVar("Fact")


def by_file(facts: Iterable[tuple[str, Fact]]) -> dict[str, frozenset[Fact]]:
    """Facts of files, grouped by the file."""
    found: dict[str, set[Fact]] = defaultdict(set)
    for file, fact in facts:
        found[file].add(fact)
    return {file: frozenset(of_file) for file, of_file in found.items()}
