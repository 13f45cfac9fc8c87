"""Starts the ranks, in the place of torch_xla's own launcher, and ends them.

Each runs as a spawned process does: the script is executed anew as `__mp_main__`, what it is called with arrives as a
copy, and its generators of random numbers start from a seed of its own, so that weights that nobody broadcasts differ.
"""

from __future__ import annotations

import functools
import io
import os
import pickle
import random
import sys
import threading
import traceback
import types
from typing import Any

from .. import observe, replicas
from . import turns, watch
from .belongings import Belongings


def install(order: dict[str, Any]) -> None:
    """Replace what starts processes, what gives each rank a graph of its own, and what runs closures in threads."""
    pjrt: Any = __import__("torch_xla._internal.pjrt", fromlist=["pjrt"])
    pjrt.run_multiprocess = functools.partial(launch, pjrt, order)
    xla_model: Any = sys.modules["torch_xla.core.xla_model"]
    xla_model._all_gather_using_all_reduce = gather
    xla_model.add_step_closure = in_step(xla_model.add_step_closure)


def in_step(add: Any) -> Any:
    """`add_step_closure` whose closures run at the mark, never in a thread of their own: that would have no turn."""

    @functools.wraps(add)
    def added(closure: Any, args: Any = (), run_async: bool = False) -> Any:
        return add(closure, args)

    return added


def launch(
    pjrt: Any, order: dict[str, Any], function: Any, *arguments: Any, start_method: str = "spawn", **options: Any
) -> Any:
    """Run `function` in one thread for each device."""
    xlac = sys.modules["torch_xla"]._XLAC
    if xlac._xla_runtime_is_initialized():
        raise RuntimeError("Runtime is already initialized. Do not use the XLA device before calling xmp.spawn.")
    payload = pickle.dumps(functools.partial(function, *arguments, **options))
    belongings = Belongings(sys.modules["torch"], order["mirror"])
    table = turns.Turns(order["workers"], lookups(xlac), belongings.save, belongings.load)
    replicas.table = table
    watch.start(table, order["results"])
    work = functools.partial(begin, table, belongings, order, payload)
    pjrt._run_thread_per_device(0, 1, work, pjrt.initialize_multiprocess)
    table.leave()
    replicas.table = None
    return {}


def lookups(xlac: Any) -> Any:
    """A function that tells how many graphs were compiled or found: it grows before a graph is executed."""
    return lambda: xlac._xla_get_num_cached_compilation_graph() + (xlac._xla_counter_value("CachedCompile") or 0)


def begin(table: turns.Turns, belongings: Belongings, order: dict[str, Any], payload: bytes) -> None:
    """One rank, from its first turn to its end. When it fails all do."""
    xlac = sys.modules["torch_xla"]._XLAC
    rank = table.ranks[sys.modules["torch_xla.runtime"].global_ordinal()]
    rank.thread = threading.get_ident()
    rank.device = xlac._xla_real_devices([xlac._xla_get_default_device()])[0]
    table.take(rank)
    try:
        forget(belongings, order["seed"] + rank.number)
        work(order["script"], payload)
        observe.finish()
    except SystemExit as ended:
        if ended.code not in (None, 0):
            fail(f"rank {rank.number} ended with {ended.code!r}")
        observe.finish()
    except BaseException:
        traceback.print_exc()
        fail(f"rank {rank.number} raised the exception above")
    table.end(rank)


def forget(belongings: Belongings, seed: int) -> None:
    """Begin as a new process does: nothing observed, no module of the script imported, seeds of its own."""
    torch = sys.modules["torch"]
    assert observe.current is not None
    observe.current.forget()
    belongings.modules.give({})
    random.seed(seed)
    torch.default_generator.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)


def work(script: str, payload: bytes) -> None:
    """Execute the script as multiprocessing does in a spawned process, then what it launched."""
    module = types.ModuleType("__mp_main__")
    module.__file__ = script
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    with io.open_code(script) as file:
        code = compile(file.read(), script, "exec")
    exec(code, module.__dict__)
    pickle.loads(payload)()


def fail(why: str) -> None:
    """End the process: the other ranks would wait for this one for good."""
    print(why, file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(1)


def stop() -> None:
    """The rank has done the steps that were asked for: it waits for the others, and the last one ends the process."""
    table = replicas.table
    assert table is not None
    rank = table.current()
    assert rank is not None
    table.end(rank)
    with table.condition:
        table.wait_until(lambda: table.ended)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def gather(value: Any, dim: int = 0, groups: Any = None, pin_layout: bool = True) -> Any:
    """`all_gather` by an all-reduce of rows that are zero but for the rank's own.

    torch_xla's own pads by the rank's number, which makes another graph on each rank.
    """
    torch: Any = sys.modules["torch"]
    xla_model: Any = sys.modules["torch_xla.core.xla_model"]
    runtime: Any = sys.modules["torch_xla.runtime"]
    own = runtime.global_ordinal()
    group = next((each for each in groups or () if own in each), range(runtime.world_size()))
    dim %= value.dim()
    shape = [1] * (value.dim() + 1)
    shape[dim] = len(group)
    mine = torch.tensor([rank == own for rank in group]).reshape(shape).to(value.device)
    rows = torch.where(mine, value.unsqueeze(dim), torch.zeros((), dtype=value.dtype, device=value.device))
    rows = rows.int() if value.dtype is torch.bool else rows
    total = xla_model.all_reduce(xla_model.REDUCE_SUM, rows, groups=groups, pin_layout=pin_layout)
    return total.to(value.dtype).flatten(dim, dim + 1)
