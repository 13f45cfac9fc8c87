"""Finds the parameters of a project about which its callers contradict each other.

A name is everything it is ever bound to, so one call that may pass two things is no contradiction: an option chooses.
Two calls are one when all that the first can pass is of one kind, and all that the second can pass is of another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from codemods.kit.disputes import Dispute, Side
from codemods.kit.roles import OTHER_DEVICE, Role
from codemods.kit.summary import LITERAL, LOCAL, CallSite, Kind, Known, Place
from migrate.acting import Acting, Function
from migrate.joining import LONGEST_CHAIN, Joined, defined_by, parameter_of

_LOADERS = (Role.LOADER, Role.ITERATOR)
_CPU, _CUDA = LITERAL + '"cpu"', LITERAL + '"cuda"'


class Disputes:
    """The contradictions between the callers of a project's functions."""

    def __init__(self, joined: Joined, acting: Acting) -> None:
        self.joined, self.acting = joined, acting

    @cached_property
    def of_file(self) -> dict[str, dict[tuple[str, str], Dispute]]:
        """By file: (function, parameter) -> its contradiction."""
        found: dict[str, dict[tuple[str, str], Dispute]] = defaultdict(dict)
        for function in self.acting.callers:
            for parameter, passed in self._passed(function).items():
                dispute = self._judge(passed) if len(passed) > 1 else None
                if dispute is not None:
                    found[function[0]][function[1], parameter] = replace(dispute, averaged=self._is_a_step(function))
        self._hand_on(found)
        return found

    def averages(self, file: str, site: CallSite, function: Function) -> bool:
        """Whether a call passes an optimizer to a function that steps what others pass something else for: the caller
        averages the gradients."""
        return any(
            known.role is Role.OPTIMIZER
            for sources in self._stepped(site, function)
            if not self._is_disputed(file, sources)
            for known in self._values(file, sources)
        )

    def schedules(self, file: str, site: CallSite, function: Function) -> bool:
        """Whether a call passes a scheduler to such a function: it steps no optimizer."""
        held = [list(self._values(file, sources)) for sources in self._stepped(site, function)]
        return any(values and all(known.role is Role.SCHEDULER for known in values) for values in held)

    def _stepped(self, site: CallSite, function: Function) -> Iterator[tuple[Known | Place, ...]]:
        """What a call passes for parameters that are an optimizer for some callers only."""
        where, name = function
        disputes = self.of_file.get(where, {})
        for passed, sources in site.arguments if disputes else ():
            dispute = disputes.get((name, self._parameter(function, passed)))
            if dispute is not None and dispute.role is Role.OPTIMIZER:
                yield sources

    def _is_a_step(self, function: Function) -> bool:
        return function in self.acting.stepping and not function[1].endswith("__init__")

    def _is_disputed(self, file: str, sources: tuple[Known | Place, ...]) -> bool:
        return any(_parameter_of(source) in self.of_file.get(file, {}) for source in sources)

    def _hand_on(self, found: dict[str, dict[tuple[str, str], Dispute]]) -> None:
        """A function that is handed such a parameter by another is in the same doubt."""
        queue = [(file, *parameter) for file, disputes in found.items() for parameter in disputes]
        takers: dict[tuple[str, str, str], list[tuple[Function, str]]] = defaultdict(list)
        for function, sites in self.acting.callers.items() if queue else ():
            for file, site in sites:
                for passed, sources in site.arguments:
                    for owner, name in filter(None, map(_parameter_of, sources)):
                        takers[file, owner, name].append((function, self._parameter(function, passed)))
        while queue:
            file, owner, name = queue.pop()
            for (where, taker), parameter in takers[file, owner, name]:
                if parameter and (taker, parameter) not in found[where]:
                    found[where][taker, parameter] = replace(found[file][owner, name], handed=True)
                    queue.append((where, taker, parameter))

    @cached_property
    def staying(self) -> dict[str, dict[str, str]]:
        """By file: function -> a call of it in a file that stays as it is, and why: "fsdp.py:30 (FSDP)"."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for (where, name), sites in self.acting.callers.items():
            for file, site in sites:
                library = self.joined.summaries[file].stays
                if library and file != where:
                    found[where].setdefault(name, f"{file}:{site.line}, which stays as it is ({library})")
        return found

    # --- what is passed ---------------------------------------------------------------------------------------------

    def _passed(self, function: Function) -> dict[str, list[tuple[str, list[Known]]]]:
        """For each parameter, the calls that pass something for it that is known, with what they can pass."""
        found: dict[str, list[tuple[str, list[Known]]]] = defaultdict(list)
        for file, site in self.acting.callers[function]:
            for passed, sources in site.arguments:
                parameter = self._parameter(function, passed)
                values = list(self._values(file, sources)) if parameter else []
                if values:
                    step = f"passed to {function[1].removesuffix('.__init__')}() at line {site.line} of {file}"
                    found[parameter].append((f"{file}:{site.line}", [_seen(known, step) for known in values]))
        return found

    def _parameter(self, function: Function, passed: str) -> str:
        where, name = function
        if function in self.joined.filled:
            return ""
        return parameter_of(self.joined.summaries[where].functions[name], passed)

    def _values(self, file: str, sources: tuple[Known | Place, ...]) -> Iterator[Known]:
        for source in self.joined.resolved(file, sources):
            yield from (source,) if isinstance(source, Known) else self.joined.held(source)

    # --- what contradicts what ----------------------------------------------------------------------------------------

    def _judge(self, passed: list[tuple[str, list[Known]]]) -> Dispute | None:
        for role, is_one, is_other in (
            (Role.OPTIMIZER, lambda known: known.role is Role.OPTIMIZER, self._is_stepped_too),
            (Role.DEVICE, _is_accelerator, _is_other_device),
            (Role.LOADER, lambda known: known.role in _LOADERS, _is_container),
        ):
            one = next(((at, v) for at, values in passed for v in values if is_one(v)), None)
            other = next(((at, values[0]) for at, values in passed if all(map(is_other, values))), None)
            if one is not None and other is not None:
                return Dispute(role, _side(*one), _side(*other))
        return None

    def _is_stepped_too(self, known: Known) -> bool:
        """Whether something has a `step` and is no optimizer: a scheduler, or an object of the project's own without
        the `param_groups` that xm.optimizer_step reads."""
        if known.role is Role.SCHEDULER:
            return True
        defined = defined_by(known) if known.role is Role.OTHER and known.of.startswith("instance") else None
        if defined is None:
            return False
        names: set[str] = set()
        for where, class_ in self.joined.ancestry(*defined):
            summary = self.joined.summaries[where]
            if any(not base.startswith(LOCAL) and not self._is_known(where, base) for base in summary.classes[class_]):
                return False  # of a library: it may be an optimizer
            names |= {function.removeprefix(f"{class_}.") for function in summary.functions}
            names |= {spot.name for spot, _ in self.joined.of_owner.get((where, Kind.ATTRIBUTE, class_), ())}
        return "step" in names and not names & {"param_groups", "__getattr__"}

    def _is_known(self, file: str, base: str) -> bool:
        return base == "builtins.object" or self.joined.modules.definition(file, base) is not None


def _is_accelerator(known: Known) -> bool:
    return (known.role is Role.DEVICE and known.of != OTHER_DEVICE) or known.of == _CUDA


def _is_other_device(known: Known) -> bool:
    return (known.role is Role.DEVICE and known.of == OTHER_DEVICE) or known.of == _CPU


def _is_container(known: Known) -> bool:
    return known.role is Role.OTHER and known.of.startswith(LITERAL) and known.of not in (_CPU, _CUDA)


def _side(where: str, known: Known) -> Side:
    if known.of.startswith(LITERAL):
        what = known.of.removeprefix(LITERAL)
    elif known.of == OTHER_DEVICE:
        what = known.of
    elif known.role is Role.DEVICE:
        what = "the accelerator"
    else:
        of = known.of.rpartition(":")[2].rpartition(".")[2]
        what = f"{_article(known.role.value)} ({of})" if known.role is not Role.OTHER else f"{_article(of)}"
    return Side(what, where, known.evidence)


def _article(word: str) -> str:
    return f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"


def _parameter_of(source: Known | Place) -> tuple[str, str] | None:
    """The function and the parameter of its file that a source is."""
    if isinstance(source, Known) or source.kind is not Kind.PARAMETER or source.path:
        return None
    return source.owner.removeprefix(LOCAL), source.name


def _seen(known: Known, step: str) -> Known:
    return known if len(known.evidence) >= LONGEST_CHAIN else replace(known, evidence=(*known.evidence, step))
