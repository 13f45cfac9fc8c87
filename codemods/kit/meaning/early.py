"""Models whose parameters an optimizer takes before they move to the accelerator.

CUDA moves parameters in place. torch_xla makes new ones, and the optimizer keeps those of before: the model has to move
before anything lists its parameters. Where that is, and how the model is called there, the original's execution shows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from codemods.kit.meaning.frames import Frame
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, parameters
from codemods.kit.meaning.spelling import spelling
from codemods.kit.meaning.values import Bound, Choice, Obj, Scope, Site, Value, is_a

LISTS = frozenset({"parameters", "named_parameters"})
_MODULE = "torch.nn.Module"


@dataclass(frozen=True)
class Place:
    """Where something was done: a line of a call in progress."""

    path: str
    line: int
    scope: Scope
    name: str
    """What the model is called there; empty where nothing shows it."""


@dataclass(eq=False)
class Listing:
    """One time that a model's parameters were listed, before it moved."""

    node: ast.Attribute
    places: list[Place]
    """The calls that led there, outermost first."""
    parameters: list[Obj]
    """Those on the host, in a listing that anything may still be made of."""
    taken: set[Obj] = field(default_factory=set)
    """Those that an optimizer took."""
    moved: dict[Obj, EarlyCapture] = field(default_factory=dict)
    """Those that moved since."""
    imported: bool = False
    """Whether the import of a file led there: nothing can be put on a device before the processes are started."""


@dataclass(frozen=True)
class EarlyCapture:
    """A place above which a model has to move, and the call that moves it too late, if that is of the same function."""

    place: Place
    node: ast.Attribute
    move: ast.Call | None
    imported: bool


class Captures:
    """Follows what lists parameters, what takes them and what moves them."""

    def __init__(self) -> None:
        self._listings: dict[ast.AST, Listing] = {}
        self._latest: dict[Obj, Listing] = {}
        """By parameter, the listing that what takes it was made of: the last one, or one before in the same call."""
        self._found: dict[tuple[ast.AST, str, int], EarlyCapture] = {}
        self.moves: set[Site] = set()
        """The lines that moved parameters to the accelerator."""
        self.calls: list[ast.Call] = []
        """The calls of the program's own text that are in progress."""

    def list(self, machine: Machine, node: ast.Attribute, method: Value) -> None:
        """`model.parameters` was read."""
        if isinstance(method, Choice):
            for one in method:
                self.list(machine, node, one)
            return
        module = method.receiver if isinstance(method, Bound) else None
        if not isinstance(module, Obj) or not is_a(module, _MODULE):
            return
        every = list(each_parameter(machine, parameters(machine, module)))
        outer = [frame for frame in machine.frames if not frame.model]
        early = [one for one in every if _on_host(machine, one)]
        names = [name_of(machine, frame, module) if early else "" for frame in outer]
        places = [Place(frame.path, frame.line, frame.scope, name) for frame, name in zip(outer, names, strict=True)]
        spelled = spelling(node.value)
        if _can_be_written(spelled):
            places[-1] = replace(places[-1], name=spelled)
        known = self._listings.get(node)
        before = known.places if known is not None and known.parameters else places
        if [one.name for one in before] != [one.name for one in places]:
            # Each time another model: only where it is listed is it called the same.
            places = [*(replace(one, name="") for one in places[:-1]), places[-1]]
        imported = any(frame.function is None for frame in outer[1:])
        listing = Listing(node, places, early, imported=imported)
        self._listings[node] = listing
        self._latest.update(dict.fromkeys(every, listing))

    def capture(self, machine: Machine, taken: Iterable[Value]) -> None:
        """An optimizer took parameters."""
        every = set(each_parameter(machine, taken))
        for listing in self._listings.values():
            scope = listing.places[-1].scope
            for one in every.intersection(listing.parameters):
                latest = self._latest[one]
                if latest.places[-1].scope is scope and one in latest.parameters:
                    listing.taken.add(one)
            self._settle(listing)

    def move(self, machine: Machine, parameter: Obj) -> None:
        """A parameter went from the host to the accelerator."""
        self.moves.add(machine.site)
        for listing in self._listings.values():
            if parameter in listing.parameters and parameter not in listing.moved:
                found = self._early(machine, listing)
                if found is not None:
                    listing.moved[parameter] = found
                    self._settle(listing)

    def _settle(self, listing: Listing) -> None:
        for parameter in listing.parameters:
            if parameter in listing.taken and parameter in listing.moved:
                found = listing.moved[parameter]
                self._found.setdefault((listing.node, found.place.path, found.place.line), found)

    def _early(self, machine: Machine, listing: Listing) -> EarlyCapture | None:
        frame = next(frame for frame in reversed(machine.frames) if not frame.model)
        call = self.calls[-1] if self.calls else None
        same = next((place for place in listing.places if place.scope is frame.scope and place.name), None)
        if same is not None and call is not None and isinstance(call.func, ast.Attribute):
            late = call if spelling(call.func.value) == same.name else None
            return EarlyCapture(same, listing.node, late, listing.imported)
        # The call that led to both is where the order of the two is written.
        going = [frame.scope for frame in machine.frames]
        both = (place for place in reversed(listing.places) if place.name and any(place.scope is one for one in going))
        named = same or next(both, None) or next((place for place in reversed(listing.places) if place.name), None)
        return EarlyCapture(named, listing.node, None, listing.imported) if named is not None else None

    def __iter__(self) -> Iterator[EarlyCapture]:
        return iter(self._found.values())


def _on_host(machine: Machine, parameter: Obj) -> bool:
    return bool(machine.facts.settle(parameter.fields.get("@device")) == "cpu")


def _can_be_written(spelled: str) -> bool:
    return not any(mark in spelled for mark in ("(", "?", "[]"))


def name_of(machine: Machine, frame: Frame, sought: Obj) -> str:
    """What an object, or a module that has it as a part, is called in a call in progress: a variable, an attribute of
    `self`; empty for neither."""
    own = frame.scope.fields.get("self")
    named = [(str(name), value) for name, value in frame.scope.fields.items() if name != "self"]
    if isinstance(own, Obj):
        named += [(f"self.{name}", value) for name, value in own.fields.items() if str(name).isidentifier()]
        named.append(("self", own))
    whole = next((name for name, value in named if value is sought), "")
    if whole or not is_a(sought, _MODULE):
        return whole
    inside = set(each_parameter(machine, parameters(machine, sought)))
    for name, value in named:
        if is_a(value, _MODULE) and inside <= set(each_parameter(machine, parameters(machine, value))):
            return name
    return ""
