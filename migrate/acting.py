"""Which functions of a project act for whoever calls them: step an optimizer, move a batch, save, place a model."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from codemods.kit.roles import Role
from codemods.kit.summary import LOCAL, CallSite, Kind, Known, Place
from migrate.joining import LONGEST_CHAIN, Joined, parameter_of

Function = tuple[str, str]
"""A file and a qualified name in it."""


class Acting:
    """The functions that act for their callers, found through the calls of a project."""

    def __init__(self, joined: Joined) -> None:
        self.joined = joined

    @cached_property
    def stepping(self) -> set[Function]:
        """Functions that step an optimizer once for whoever calls them, in their own body or through others."""
        starts = [(file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.stepping)]
        starts += [(file, site.function) for file, site, _ in self.stepped if site.function and not site.looped]
        return self._acting(starts)

    @cached_property
    def moving(self) -> set[Function]:
        """Functions that move what they are given, in their own body or through others."""
        return self._acting(
            (file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.moving)
        )

    @cached_property
    def reading(self) -> set[Function]:
        """Functions that bring values of what they are given to the host."""
        return {(file, name) for file, summary in self.joined.summaries.items() for name in summary.reading}

    @cached_property
    def saving(self) -> set[Function]:
        """Functions that save a checkpoint, in their own body or through others."""
        starts = [(file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.saving)]
        return self._acting(starts, looped=True)

    @cached_property
    def joining(self) -> set[Function]:
        """Functions that make their process join a process group, in their own body or through others."""
        return self._acting(
            (file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.joining) if name
        )

    @cached_property
    def spawning(self) -> set[Function]:
        """Functions that spawn the processes, in their own body or through others."""
        return self._acting(
            (file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.spawning)
        )

    @cached_property
    def parsing(self) -> set[Function]:
        """Functions that parse the command line, in their own body or through others."""
        return self._acting(
            (file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.parsing)
        )

    @cached_property
    def driving(self) -> set[Function]:
        """Functions that train, or build, a model by `DataParallel`, in their own body or through others."""
        return self._acting(
            (file, name) for file, summary in self.joined.summaries.items() for name in sorted(summary.driving)
        )

    @cached_property
    def looped(self) -> set[Function]:
        """Those of them that every known caller repeats in a loop, itself or through its own callers."""
        return self._always(lambda file, site: site.looped)

    @cached_property
    def averaged(self) -> set[Function]:
        """Those of them that every known caller calls with gradients it has clipped, and averaged before."""
        return self._always(self._averages)

    def placing(self, file: str, site: CallSite) -> tuple[str, ...]:
        """The arguments of a call that are models which the function moves to the device."""
        return tuple(self._reaching(file, site, self._placed))

    def devices(self, file: str, site: CallSite) -> tuple[str, ...]:
        """The arguments of a call that a function of another file uses as a device."""
        return tuple(self._reaching(file, site, self._used_as_devices, elsewhere=True))

    def _reaching(
        self, file: str, site: CallSite, parameters: set[tuple[str, str, str]], elsewhere: bool = False
    ) -> Iterator[str]:
        for where, name in self.joined.called(file, site):
            for passed, _ in site.arguments:
                parameter = parameter_of(self.joined.summaries[where].functions[name], passed)
                if (where, name, parameter) in parameters and not (elsewhere and where == file):
                    yield passed

    def optimizers(self, file: str, site: CallSite, function: Function) -> tuple[str, ...]:
        """The optimizers that a function steps, as a call of it has them: an argument, by keyword or "#position", or an
        attribute of its object, ".inner". Empty when one of them is out of the caller's sight."""
        where, name = function
        stepped = self._stepped_by.get(function, ())
        if not stepped or "" in stepped:  # through other functions: all that the call has at hand
            passed = (known for known, sources in site.arguments if self._is_optimizer(file, sources))
            return tuple(passed) or tuple(self._attributes_in(where, name.rpartition(".")[0]))
        signature = self.joined.summaries[where].functions[name]
        arguments = {parameter_of(signature, passed): passed for passed, _ in site.arguments}
        found = [each[4:] if each.startswith("self.") else arguments.get(each, "") for each in stepped]
        return tuple(found) if all(found) else ()

    @cached_property
    def _stepped_by(self) -> dict[Function, tuple[str, ...]]:
        """What each function steps itself: parameters, and attributes as "self.inner"."""
        found: dict[Function, dict[str, None]] = defaultdict(dict)
        for file, summary in self.joined.summaries.items():
            for name, stepped in summary.stepping.items():
                found[file, name].update(dict.fromkeys(stepped))
        for file, site, role in self.stepped:
            sources = site.receivers if role is Role.OPTIMIZER else dict(site.arguments).get("#0", ())
            found[file, site.function].update(dict.fromkeys(_spelled(source, site.function) for source in sources))
        return {function: tuple(names) for function, names in found.items()}

    def _attributes_in(self, file: str, class_: str) -> Iterator[str]:
        """The attributes of a class that hold optimizers."""
        for where, name in self.joined.ancestry(file, class_):
            for spot, values in self.joined.of_owner.get((where, Kind.ATTRIBUTE, name), ()):
                if any(known.role is Role.OPTIMIZER for known in values):
                    yield f".{spot.name}"

    def _is_optimizer(self, file: str, sources: Iterable[Known | Place]) -> bool:
        found = self.joined.resolved(file, sources)
        held = (known for each in found for known in ((each,) if isinstance(each, Known) else self.joined.held(each)))
        return any(known.role is Role.OPTIMIZER for known in held)

    @cached_property
    def callers(self) -> dict[Function, list[tuple[str, CallSite]]]:
        """The calls of each function, with the file they are in."""
        found: dict[Function, list[tuple[str, CallSite]]] = defaultdict(list)
        for file, summary in self.joined.summaries.items():
            for site in summary.calls:
                for function in self.joined.called(file, site):
                    found[function].append((file, site))
        return found

    @cached_property
    def stepped(self) -> list[tuple[str, CallSite, Role]]:
        """Calls of `step` on what other files say is an optimizer or a scaler, with its role."""
        found: list[tuple[str, CallSite, Role]] = []
        for file, summary in self.joined.summaries.items():
            for site in summary.calls:
                roles = {known.role for known in self._receivers(file, site)} if site.method == "step" else set()
                if Role.OPTIMIZERS in roles:
                    roles.add(Role.OPTIMIZER)
                role = next((role for role in (Role.SCALER, Role.OPTIMIZER) if role in roles), None)
                if role is not None and not self._implements_an_optimizer(file, site.function):
                    found.append((file, site, role))
        return found

    def _acting(self, starts: Iterable[Function], looped: bool = False) -> set[Function]:
        """Functions that do something for whoever calls them, and those that call such a function: outside of any loop,
        or anywhere."""
        queue = deque(starts)
        seen = set(queue)
        while queue:
            for file, site in self.callers.get(queue.popleft(), ()):
                caller = (file, site.function)
                if site.function and (looped or not site.looped) and caller not in seen:
                    seen.add(caller)
                    queue.append(caller)
        return seen

    def _averages(self, file: str, site: CallSite) -> bool:
        """Whether a call steps with gradients that its function has clipped and, naming the optimizers, can average."""
        return site.clips and all(self.optimizers(file, site, called) for called in self.joined.called(file, site))

    def _always(self, holds: Callable[[str, CallSite], bool]) -> set[Function]:
        """Functions that step, of whose calls all are so, or are in functions of which all calls are."""
        found: set[Function] = set()
        for _ in range(LONGEST_CHAIN):
            more = {
                function
                for function in self.stepping - found
                if self.callers.get(function)
                and all(holds(file, site) or (file, site.function) in found for file, site in self.callers[function])
            }
            if not more:
                break
            found |= more
        return found

    @cached_property
    def _placed(self) -> set[tuple[str, str, str]]:
        """(file, function, parameter) of models that a function moves to the device, itself or through others."""
        return self._handed_on(
            (file, *parameter) for file, summary in self.joined.summaries.items() for parameter in summary.placing
        )

    @cached_property
    def _used_as_devices(self) -> set[tuple[str, str, str]]:
        """(file, function, parameter) of what a function uses as a device, itself or through others."""
        return self._handed_on(
            (file, *parameter)
            for file, summary in self.joined.summaries.items()
            for parameter in summary.device_parameters
        )

    def _handed_on(self, starts: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
        """Parameters with those of callers that are handed on to them."""
        found = {*starts}
        queue = deque(sorted(found))
        while queue:
            where, function, parameter = queue.popleft()
            for file, site in self.callers.get((where, function), ()):
                for passed, sources in site.arguments:
                    if parameter_of(self.joined.summaries[where].functions[function], passed) != parameter:
                        continue
                    for source in sources:
                        if isinstance(source, Place) and source.kind is Kind.PARAMETER:
                            outer = (file, source.owner.removeprefix(LOCAL), source.name)
                            if outer not in found:
                                found.add(outer)
                                queue.append(outer)
        return found

    def _receivers(self, file: str, site: CallSite) -> Iterator[Known]:
        """What a call's receiver can be."""
        for source in self.joined.resolved(file, site.receivers):
            yield from (source,) if isinstance(source, Known) else self.joined.held(source)

    def _implements_an_optimizer(self, file: str, function: str) -> bool:
        """The inner step of an optimizer class: who steps the outer one steps."""
        class_ = function.rpartition(".")[0]
        return class_ in self.joined.summaries[file].classes and self.joined.class_role(file, class_) is Role.OPTIMIZER


def _spelled(source: Known | Place, function: str) -> str:
    """A parameter of a function, or an attribute as "self.inner"; empty for what is neither."""
    if isinstance(source, Known) or source.path:
        return ""
    if source.kind is Kind.PARAMETER:
        return source.name if source.owner == LOCAL + function else ""
    return f"self.{source.name}" if source.kind is Kind.ATTRIBUTE else ""
