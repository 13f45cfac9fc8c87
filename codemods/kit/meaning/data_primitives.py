"""Primitives of data: what a loader hands out, whose share it is, and in which order."""

from __future__ import annotations

from typing import Any, NamedTuple

from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import happen, loops, several
from codemods.kit.meaning.items import get_item
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import Record
from codemods.kit.meaning.taken_apart import WHY, why_not
from codemods.kit.meaning.tensors import ACCELERATORS, UNREAD, gather, is_tensor, is_unknown, new_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    ELEMENTS,
    LOCAL,
    NO_TAINTS,
    RANK,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Site,
    Sym,
    Taints,
    Value,
    class_name,
    container,
    is_a,
)
from codemods.kit.meaning.words import AFAR, MOVED

SHARED, WHOLE, LOCAL_SHARE = "a share", "all of the data", "a share by the place on the host"

_RUNNING = ("world size", "world_size", "device count")
"""In the key of a number of processes that is asked of those that run."""


class Shares(NamedTuple):
    """What cuts the shares of a loader's data."""

    loader: Site
    serial: int
    dataset: Site | None
    differ: frozenset[str]
    """What of the sampler differs between the processes, and should not."""
    twice: bool
    """The data is one process's share already."""
    sampler: Site | None
    other: bool = False
    """The sampler counts other data than the loader hands out."""
    asked: str = ""
    """What the number of shares is where it is not shown to be that of the processes there are."""


def share(machine: Machine, loader: Obj, *given: Value) -> None:
    """Note whether what a loader reads is one process's share: a sampler, or a dataset made with the rank."""
    machine.heap.write(loader, "@share", _share(machine, loader, given, 0))


def _share(machine: Machine, loader: Value, given: Any, depth: int) -> Value:
    kinds = [_share_of(machine, one, depth) for one in given]
    if SHARED in kinds:
        return SHARED
    choices = [one for one in kinds if isinstance(one, Choice)]
    if choices:
        return choices[0]
    return None if None in kinds else WHOLE


def _share_of(machine: Machine, value: Value, depth: int) -> Value:
    """Whether a value is made for one process; None when that is not known."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        options = tuple((facts, _share_of(machine, one, depth)) for facts, one in value.options)
        return options[0][1] if len({one for _, one in options}) == 1 else Choice(options)
    if is_a(value, "torch.utils.data.distributed.DistributedSampler"):
        return _share_of_sampler(machine, value)
    if RANK in gather(machine, (value,)).taints:
        return SHARED
    if isinstance(value, Obj) and depth < 3:
        if is_unknown(value):
            return None
        if is_tensor(value):
            return WHOLE
        kinds = [_share_of(machine, one, depth + 1) for name, one in value.fields.items() if name != "__class__"]
        if SHARED in kinds:
            return SHARED
        return next((one for one in kinds if isinstance(one, Choice)), WHOLE)
    return WHOLE


def _share_of_sampler(machine: Machine, sampler: Obj) -> Value:
    """A sampler that is told its process by a number which is the same in all of them gives all the same share."""
    if machine.cuda or not several(machine):
        return SHARED
    rank, count = (machine.facts.settle(sampler.fields.get(name)) for name in ("rank", "num_replicas"))
    if rank is None and machine.record.of("processes"):
        return SHARED
    if isinstance(rank, Sym) and "local" in repr(rank.key):
        return LOCAL_SHARE
    known = isinstance(rank, (int, type(None))) or isinstance(count, int)
    return WHOLE if known else SHARED


def same_order(machine: Machine, loader: Obj) -> None:
    """Note when a loader is gone through again in the order it had."""
    every = options_of(machine.facts, loader.fields.get("sampler"))
    sampled = [one for one in every if is_a(one, "torch.utils.data.distributed.DistributedSampler")]
    for sampler in sampled if len(every) == 1 or machine.cuda else ():
        seen = sampler.fields.get("@gone through with", ABSENT)
        now = sampler.fields.get("epoch")
        if seen is not ABSENT and seen == now and machine.facts.settle(sampler.fields.get("shuffle")) is not False:
            happen(machine, "same order", sampler.site)
        machine.heap.write(sampler, "@gone through with", now)


def started_as(record: Record) -> list[str]:
    """The keys of the numbers of processes that were asked for, as `mp.spawn(worker, nprocs=args.gpus)` asks; not where
    the devices are counted."""
    asked = {repr(event.about.key) for event in record.of("started") if isinstance(event.about, Sym)}
    return sorted(key for key in asked if "world size" not in key and "device count" not in key)


def batch(machine: Machine, loader: Obj) -> Value:
    """What a loader hands out: a list of one batch that stands for all."""
    taints: Taints = frozenset({("data", loader.serial)})
    shares = machine.facts.settle(loader.fields.get("@share"))
    shuffles = machine.facts.settle(loader.fields.get("shuffle")) not in (None, False)
    if several(machine) and (shares != WHOLE or shuffles):
        taints |= {LOCAL}
    sizes = options_of(machine.facts, loader.fields.get("batch_size"))
    words = [repr(one.key) if isinstance(one, Sym) else "" for one in sizes]
    counts = ("world size", "device count", *started_as(machine.record))
    divided = [sum(map(one.count, counts)) for one in words]
    happen(machine, "batch size", (loader.site, loader.serial, tuple(words)))
    happen(machine, "fetch", (loader.site, shares, loader.serial, several(machine), (min(divided), max(divided))))
    happen(machine, "last batch", (loader.site, machine.facts.settle(loader.fields.get("drop_last"))))
    happen(machine, "shares", _shares(machine, loader))
    happen(machine, "order", (loader.site, loader.serial, _shuffled(machine, loader), _sampler(machine, loader)))
    if machine.watcher is not None:
        machine.watcher.fetched[loader.serial] = loader.site, len(loops(machine))
    since = len(machine.record.events)
    made = _collated(machine, loader, taints)
    _look_for_device(machine, loader, made, since)
    return machine.new("list", {"[*]": made})


def _look_for_device(machine: Machine, loader: Obj, made: Value, since: int) -> None:
    """Note when a loader's own processes put what they make on the device."""
    asked = any(one.kind == "device" for one in machine.record.events[since:])
    where = [machine.facts.settle(one.fields.get("@device")) for one in gather(machine, (made,)).tensors]
    if asked or any(one in ACCELERATORS for one in where):
        if machine.facts.settle(loader.fields.get("num_workers")) not in (0, None):
            happen(machine, "device in workers", loader.site)


def _shares(machine: Machine, loader: Obj) -> Shares:
    """How processes agree on their shares, as far as a sampler cuts them."""
    every = options_of(machine.facts, loader.fields.get("sampler"))
    samplers = [one for one in every if is_a(one, "torch.utils.data.distributed.DistributedSampler")]
    dataset = machine.facts.settle(loader.fields.get("dataset"))
    made = dataset.site if isinstance(dataset, Obj) else None
    differ = set()
    for one in samplers:
        for name, field in (("number of shares", "num_replicas"), ("seed", "seed"), ("epoch", "epoch")):
            differ |= {name} if RANK in gather(machine, (one.fields.get(field),)).taints else set()
    twice = bool(samplers) and _share_of(machine, dataset, 0) == SHARED
    counts = [count for one in samplers for count in options_of(machine.facts, one.fields.get("num_replicas"))]
    keys = [repr(one.key).lower() for one in counts if isinstance(one, Sym)]
    number = any(not any(word in key for word in _RUNNING) for key in keys)
    asked = "a number" if number else "unread" if any(map(is_unknown, counts)) else ""
    site = samplers[0].site if samplers else None
    counted = [machine.facts.settle(one.fields.get("dataset")) for one in samplers]
    other = (
        isinstance(dataset, Obj)
        and bool(counted)
        and all(isinstance(one, Obj) and one is not dataset and not is_unknown(one) for one in counted)
    )
    return Shares(loader.site, loader.serial, made, frozenset(differ), twice, site, other, asked)


def _sampler(machine: Machine, loader: Obj) -> Site | None:
    """Where what hands out a loader's shares was made, if something does."""
    every = options_of(machine.facts, loader.fields.get("sampler"))
    found = [one.site for one in every if is_a(one, "torch.utils.data.distributed.DistributedSampler")]
    return found[0] if found else None


def _shuffled(machine: Machine, loader: Obj) -> bool | None:
    """Whether a loader mixes its data; None where that is not known."""
    sampler = machine.facts.settle(loader.fields.get("sampler"))
    kind = class_name(sampler)
    if kind in ("RandomSampler", "WeightedRandomSampler", "SubsetRandomSampler", "SequentialSampler"):
        return kind != "SequentialSampler"
    if kind not in ("Sampler", "DistributedSampler") or loader.fields.get("batch_sampler") is not None:
        return None
    asked = machine.facts.settle((loader if kind == "Sampler" else sampler).fields.get("shuffle"))
    return bool(asked) if asked is None or isinstance(asked, bool) else None


def _collated(machine: Machine, loader: Obj, taints: Taints) -> Value:
    dataset = machine.facts.settle(loader.fields.get("dataset"))
    item = _sample(machine, dataset)
    collate = machine.facts.settle(loader.fields.get("collate_fn"))
    if collate is not None and not is_unknown(collate):
        samples = machine.new("list", {ELEMENTS: (item, item)}) if item is not None else machine.unknown("samples")
        machine.heap.write(machine.world, "collating", True)
        made = machine.call(collate, samples)
        machine.heap.write(machine.world, "collating", False)
        return _noted(machine, loader, made, taints, collates=False)
    if item is None or collate is not None:
        whole = new_tensor(machine, "cpu", frozenset(), taints, False)
        whole.fields[UNREAD] = True
        return whole
    return _noted(machine, loader, item, taints)


def _sample(machine: Machine, dataset: Value) -> Value:
    """One sample of a dataset; None where it is not known what one is."""
    if container(dataset) or is_tensor(dataset) or isinstance(dataset, tuple) or _has(dataset, "__getitem__"):
        machine.heap.write(machine.world, "sampling", True)
        try:
            return get_item(machine, dataset, machine.symbol("an index"))
        finally:
            machine.heap.write(machine.world, "sampling", False)
    if _has(dataset, "__iter__"):
        found: list[Value] = []
        machine.iterator(machine, dataset, found.append)
        return found[-1] if found else None
    return None


def _has(value: Value, method: str) -> bool:
    cls = value.cls if isinstance(value, Obj) else None
    return isinstance(cls, ClassValue) and isinstance(cls.find(method), Function)


def _noted(machine: Machine, loader: Obj, made: Value, taints: Taints, collates: bool = True) -> Value:
    """A batch, with the reason why a device loader would not hand it out as it is, if there is one."""
    batch, why = on_host(machine, made, taints, collates), why_not(machine, made)
    if why and machine.watcher is not None:
        far = machine.site.path != loader.site.path or machine.watcher.taken_apart.get(loader.site, why) != why
        machine.watcher.taken_apart[loader.site] = why + AFAR if why == MOVED and far else why
    if why and isinstance(batch, Obj):
        batch.fields[WHY] = why
    return batch


def on_host(machine: Machine, value: Value, taints: Taints, collates: bool = True) -> Value:
    """A sample as the batch that is made of such samples: numbers and arrays are tensors on the host. `collates`: a
    `collate_fn` of the program's own leaves them what they are."""
    value = machine.facts.settle(value)
    if isinstance(value, tuple):
        return tuple(on_host(machine, one, taints, collates) for one in value)
    if isinstance(value, Choice):
        return on_host(machine, value.options[0][1], taints, collates)
    if isinstance(value, Obj) and container(value):
        fields = {
            n: on_host(machine, one, taints, collates) if n == "[*]" or isinstance(n, Item) else one
            for n, one in value.fields.items()
        }
        if ELEMENTS in fields:
            fields[ELEMENTS] = on_host(machine, fields[ELEMENTS], taints, collates)
        return machine.new(value.cls, fields)
    if isinstance(value, str) or (not collates and isinstance(value, CONSTANTS)):
        return value
    if not collates and isinstance(value, Sym):
        return Sym(value.key, value.taints | taints)
    held = gather(machine, (value,)) if not isinstance(value, Sym) else None
    device = value.fields.get("@device") or "cpu" if isinstance(value, Obj) and is_tensor(value) else "cpu"
    more = held.taints if held is not None else NO_TAINTS
    return new_tensor(machine, device, frozenset(), more | taints, False)


def collated(machine: Machine, sample: Value) -> Value:
    """What `default_collate` makes of such samples."""
    return on_host(machine, sample, NO_TAINTS)


PRIMITIVES: dict[str, Any] = {"share": share, "same_order": same_order, "batch": batch, "collated": collated}
