"""What was understood of a program, for a person who is to trust it.

All of it is read off the abstract execution that rewriting and judging stand on: it can say nothing but what they know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from codemods.kit.meaning.data_primitives import SHARED, WHOLE
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.steps import LOCALLY, MEAN, NONE, SUM, Step
from codemods.kit.meaning.values import RANK, Choice, Site
from migrate.engine.comparison import Comparison
from migrate.engine.correspondence import Lines, entries
from migrate.engine.obligations.following import followed
from migrate.engine.obligations.unjudged import unjudged
from migrate.engine.originals import Original
from migrate.engine.turns import Turns, innermost, loops_of
from migrate.engine.understood import Fact, Part, Understood
from migrate.engine.written import Written

_LOGGED = (".item()", ".tolist()", ".numpy()")
_SHARES = {
    frozenset({SHARED}): "each process its own share",
    frozenset({WHOLE}): "each process all of it",
    frozenset({SHARED, WHOLE}): "each process its own share or all of it, as an option says",
}
_ORDERS = {True: "shuffled", False: "in order"}
_STATES = {MEAN: "averaged over the processes", LOCALLY: "of each process alone", SUM: "summed over the processes"}


def understood(original: Original, codes: Mapping[str, str]) -> Understood:
    """What an execution showed of a program. `codes`: its files, as they were executed."""
    reader = _Reader(original, Lines({}, codes))
    loops = list(reader.loops())
    return Understood((*reader.scripts(), *loops), tuple(reader.unclear()))


class _Reader:
    """Asks one execution."""

    def __init__(self, original: Original, lines: Lines) -> None:
        self.execution, self.lines, self.written = original.execution, lines, Written(lines)
        events = self.execution.record.events
        self.every = loops_of(events)
        self.wraps = {one.site: one.about for one in events if one.kind == "wrap"}
        self.wrappers = {one.site: str(one.about) for one in events if one.kind == "wrapper"}
        self.made_with = {one.site: one.about[0] for one in events if one.kind == "made with"}
        self.roles: dict[Site, tuple[str, str]] = {}
        for meaning in original.meanings.values():
            for part in (part for parts in meaning.parts.values() for part in parts):
                if not part.wrapped or part.made not in self.wraps:
                    self.roles.setdefault(part.made, (part.role, part.of))

    # scripts

    def scripts(self) -> Iterator[Part]:
        """What is run, with the processes that it starts."""
        running: list[Event] = []
        names = iter(entries(self.lines.trees))
        for event in self.execution.called:
            running.append(event)
            if event.kind in ("end", "spent"):
                name = next(names, "")
                if any(one.kind in ("backward", "forward", "lost") for one in running):
                    yield Part("script", name, 0, "", tuple(self._starts(running)))
                running = []

    def _starts(self, events: list[Event]) -> Iterator[Fact]:
        first = {one.kind: one for one in reversed(events) if one.kind in ("started", "launch", "processes", "wrapper")}
        started, joins = first.get("started") or first.get("launch"), first.get("processes")
        if started:
            asked = self.written.call(started.site, "spawn", "launch", "run", "start_processes")
            yield _fact("processes", asked or "it starts several", started.site)
        if joins:
            how = "they join a group" if started else "one for each that its launcher starts; they join a group"
            call = self.written.call(joins.site, "init_process_group", "init") or self.written.text(joins.site)
            yield _fact("processes", f"{how}: {call}", joins.site)
        if not started and not joins:
            parallel = [one for one in events if one.kind == "wrapper" and one.about == "DataParallel"]
            yield _fact("processes", "one, on all its GPUs (DataParallel)" if parallel else "one",
                        *[one.site for one in parallel[:1]])  # fmt: skip
        about = {one.about for one in events if one.kind == "seed" and isinstance(one.about, str)}
        if about:
            yield _fact("seeds", ", ".join(sorted(about)), *_once(one.site for one in events if one.kind == "seed"))
        loads = _once(one.site for one in events if one.kind == "load")
        if loads:
            yield _fact("reads", "a checkpoint", *loads)
        around = {site for turns in self.every.values() for site in self._around(turns)}
        yield from self._saves([one for one in events if not set(one.loops) & around])

    # loops

    def loops(self) -> Iterator[Part]:
        """Each loop that trains, then each that runs a network."""
        later: list[Part] = []
        for site, turns in self.every.items():
            if innermost(turns, "backward"):
                yield Part("training loop", site.path, site.line, self.written.head(site), tuple(self._training(turns)))
            elif innermost(turns, "forward"):
                facts = (*self._where(turns), *self._networks(turns), *self._data(turns), *self._modes(turns))
                later.append(Part("evaluation loop", site.path, site.line, self.written.head(site), facts))
        yield from later

    def _training(self, turns: Turns) -> Iterator[Fact]:
        yield from self._where(turns)
        yield from self._networks(turns)
        yield from self._optimizers(turns)
        yield from self._data(turns)
        yield from self._gradients(turns)
        yield from self._precision(turns)
        yield from self._modes(turns)
        around = self._around(turns)
        mine = [one for one in self.execution.record.events if one.loops and set(one.loops) & around]
        yield from self._saves(mine)

    def _where(self, turns: Turns) -> Iterator[Fact]:
        if not turns.site.function:
            return
        calls = _once(
            before
            for one in turns.events
            for before, after in zip(one.chain, one.chain[1:], strict=False)
            if after.function == turns.site.function and before.function != after.function
        )
        called = all(one.chain and one.chain[0].function == turns.site.function for one in turns.events if one.chain)
        if calls:
            yield _fact("called at", f"{turns.site.function}()", *calls)
        elif called:
            yield _fact("called at", f"no call of {turns.site.function}() was found: it was followed by itself")

    def _networks(self, turns: Turns) -> Iterator[Fact]:
        shown = []
        for site in _once(one.about for one in innermost(turns, "forward") if isinstance(one.about, Site)):
            inner, wrappers = site, list[str]()
            while inner in self.wraps and isinstance(self.wraps[inner], Site) and len(wrappers) < 3:
                wrappers.insert(0, self.wrappers.get(inner, "a wrapper"))
                inner = self.wraps[inner]
            of = self.roles.get(inner, ("", ""))[1]
            name = (of.rpartition(".")[2] if not of.startswith("torch.nn.") else "") or self.written.constructed(inner)
            role = "loss" if name.endswith("Loss") else "model"
            shown.append(_fact(role, " in ".join([name, *wrappers]), *_once((inner, site))))
        names = _once((one.name, one.text) for one in shown)
        for name, text in names:
            places = [one for one in shown if (one.name, one.text) == (name, text)]
            yield replace(places[0], lines=tuple(sorted({line for one in places for line in one.lines})))

    def _optimizers(self, turns: Turns) -> Iterator[Fact]:
        steps = [one for one in innermost(turns, "step") if isinstance(one.about, Step)]
        for site in _once(one.about.optimizer for one in steps):
            name = self.made_with.get(site) or self.roles.get(site, ("", ""))[1].rpartition(".")[2] or "an optimizer"
            yield _fact("optimizer", self.written.call(site, str(name)) or f"{name}: {self.written.given(site)}", site)
        if not steps:
            yield _fact("optimizer", "no step in this loop")
            return
        through = " by a GradScaler" if innermost(turns, "scaled step") else ""
        when = self._condition(turns, steps[0])
        yield _fact("steps", f"{when}{through}", *_once(one.site for one in steps))
        schedules = _once(one.site for one in innermost(turns, "schedule"))
        if schedules:
            yield _fact("schedule", "of the learning rate, in this loop", *schedules)

    def _condition(self, turns: Turns, step: Event) -> str:
        """That gradients are added up over iterations, and when the step comes."""
        if not any(map(_adds_up, turns.turns[1:])):
            return "each iteration"
        tests = self.written.tests(step, turns.site)
        return f"when {' and '.join(tests)}: it adds up gradients" if tests else "gradients of iterations are added up"

    def _data(self, turns: Turns) -> Iterator[Fact]:
        mine = [
            one for one in turns.events
            if one.site == turns.site or (one.loops and one.loops[-1] == turns.site and one.site not in self.every)
        ]  # fmt: skip
        fetches = [one for one in mine if one.kind == "fetch"]
        orders = [one.about for one in mine if one.kind == "order"]
        lasts = {one.about[0]: one.about[1] for one in mine if one.kind == "last batch"}
        for site in _once(one.about[0] for one in fetches if isinstance(one.about[0], Site)):
            share, several = next((one.about[1], one.about[3]) for one in fetches if one.about[0] == site)
            said = [self.written.call(site, "DataLoader") or self.written.given(site)]
            shuffled = {order[2] for order in orders if order[0] == site}
            sampler = next((order[3] for order in orders if order[0] == site and order[3]), None)
            if self.execution.several and several:
                by = f" ({self.written.call(sampler, 'DistributedSampler') or 'a sampler'})" if sampler else ""
                kinds = {one for _, one in share.options} if isinstance(share, Choice) else {share}
                said.append(_SHARES.get(frozenset(kinds), "how it is shared out was not understood") + by)
            said += [" or ".join(_ORDERS[one] for one in (True, False) if one in shuffled)] * (None not in shuffled)
            said += ["no smaller last batch"] if lasts.get(site) is True else []
            yield _fact("data", "; ".join(filter(None, said)), *_once(s for s in (sampler, site) if s))
        if not fetches:
            yield _fact("data", "no loader is gone through here")

    def _gradients(self, turns: Turns) -> Iterator[Fact]:
        steps = [one.about for one in innermost(turns, "step") if isinstance(one.about, Step)]
        kinds = {word for one in steps for _, kind in one.gradients for word in kind.split("/")} - {NONE}
        said = []
        if self.execution.several and any(one.several for one in steps):
            said.append(" or ".join(_STATES.get(one, one) for one in sorted(kinds)))
        clips = innermost(turns, "clipped by")
        said += [f"clipped by {clips[0].about}"] if clips else []
        if any(said):
            yield _fact("gradients", ", ".join(filter(None, said)), *_once(one.site for one in clips))

    def _precision(self, turns: Turns) -> Iterator[Fact]:
        enters = [one for one in innermost(turns, "enter") if one.about == "autocast"]
        scales = innermost(turns, "scaled loss")
        said = [*(["autocast"] if enters else []), *(["the loss is scaled"] if scales else [])]
        text = ", ".join(said) or "that of the weights and batches: no autocast"
        yield _fact("precision", text, *_once(one.site for one in (*enters, *scales)))

    def _modes(self, turns: Turns) -> Iterator[Fact]:
        reads = [one for one in innermost(turns, "read") if one.about in _LOGGED]
        prints = innermost(turns, "print")
        meets = innermost(turns, "collective")
        if reads or prints:
            said = [*_once(f"reads {one.about}" for one in reads), *(["prints"] if prints else [])]
            yield _fact("logging", ", ".join(said), *_once(one.site for one in (*reads, *prints)))
        if meets:
            yield _fact("meets", ", ".join(_once(str(one.about) for one in meets)), *_once(one.site for one in meets))

    def _saves(self, events: list[Event]) -> Iterator[Fact]:
        kept = {one.site: one.about for one in events if one.kind == "saved"}
        for save in {one.site: one for one in events if one.kind == "save"}.values():
            what = [part.what or name for name, part in kept.get(save.site) or () if part.what or name]
            who = ", by one process" if RANK in save.taints else ""
            when = f", in the loop at line {save.loops[-1].line}" if save.loops else ""
            yield _fact("saves", f"{', '.join(_once(what)) or 'something'}{who}{when}", save.site)

    def _around(self, turns: Turns) -> set[Site]:
        """A loop that trains with those around it."""
        if not innermost(turns, "backward"):
            return set()
        return {turns.site, *(site for one in innermost(turns, "backward") for site in one.loops)}

    # what was not understood

    def unclear(self) -> Iterator[Fact]:
        """What following could not do: the judge's own words."""
        comparison = Comparison(None, self.execution, self.lines)
        for one in (*followed(comparison), *unjudged(comparison)):
            yield Fact("not understood", one.message, one.path, (one.line,) if one.line else ())
        if not any(innermost(turns, "backward") for turns in self.every.values()):
            for event in self.execution.record.of("lost"):
                if event.about[0].endswith("Module"):
                    yield _fact("not understood", f"who gets the network may train it: {event.about[1]}", event.site)


def _adds_up(turn: list[Event]) -> bool:
    """Whether what an iteration steps with has something of the one before."""
    before: frozenset[Site] = frozenset()
    reached: frozenset[Site] = frozenset()
    carried: set[Site] = set()
    adds = False
    for event in turn:
        if event.kind == "adds":
            adds = bool(event.about)
        elif event.kind == "added":
            # Where that depends on a condition, which of them have one is not known.
            carried |= (event.about or reached) - before if adds else set()
        elif event.kind == "zero":
            carried -= event.about
        elif event.kind == "backward":
            before, reached = reached, reached | event.about.reached
        elif isinstance(event.about, Step) and carried & {site for site, _ in event.about.gradients}:
            return True
    return False


def _fact(name: str, text: str, *sites: Site) -> Fact:
    """What is said of places of one file: those of the first one's."""
    path = sites[0].path if sites else ""
    return Fact(name, text, path, tuple(sorted({site.line for site in sites if site.path == path and site.line})))


def _once(every: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(every))
