"""How each torch_xla version spells what a rewrite wants to say: one table, asked by idiom and never by version.

Facts: the torch_xla release tags 1.11 to 2.9, one file per phrase unless a row says otherwise: `core/xla_model.py`,
`runtime.py`, `torch_xla.py`, `distributed/xla_multiprocessing.py`, `distributed/parallel_loader.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import NamedTuple

Version = tuple[int, int]


class Idiom(Enum):
    """Something a migrated script says. The value is the words a message to the user can use."""

    DEVICE = "the XLA device"
    DEVICE_TYPE = "the device type string"
    DEVICE_BEFORE_PROCESSES = "the XLA device, named without starting the runtime"
    SET_DEFAULT_DEVICE = "making tensors on the XLA device by default"
    DEVICE_HARDWARE = "the kind of hardware behind the device"
    WORLD_SIZE = "the number of processes"
    ORDINAL = "the global rank"
    LOCAL_ORDINAL = "the rank on this host"
    LOCAL_SIZE = "the number of devices of this host"
    LOCAL_SIZE_AHEAD = "the number of devices of this host, before the processes start"
    IS_MASTER = "whether this is the global master"
    IS_FIRST_OF_HOST = "whether this is the first process of its host"
    MASTER_PRINT = "printing on the master only"
    MARK_STEP = "executing the pending graph"
    SYNCHRONIZE = "executing the pending graph and waiting for it"
    OPTIMIZER_STEP = "an optimizer step that reduces gradients"
    OPTIMIZER_STEP_BARRIER = "an optimizer step that also executes the graph"
    OPTIMIZER_STEP_CLOSURE = "an optimizer step with a closure"
    REDUCE_GRADIENTS = "averaging gradients over the processes"
    REDUCE_ADDED_UP = "averaging gradients that several backwards added up, so that clipping them keeps the average"
    FETCH_AND_REDUCE = "averaging gradients ahead of a gradient scaler"
    REDUCE_FILLED = "averaging gradients of which others are made"
    AUTOCAST = "mixed precision in the device's own low precision"
    AUTOCAST_DTYPE = "mixed precision in a given type"
    GRAD_SCALER = "the gradient scaler"
    SYNCFREE = "an optimizer that steps without reading the device"
    CUSTOM_FWD = "the autocast decorator of a custom forward"
    CUSTOM_FWD_CAST = "the autocast decorator of a custom forward, with a cast of its inputs"
    CUSTOM_BWD = "the autocast decorator of a custom backward"
    BF16_SUPPORTED = "whether the device computes in bfloat16"
    DEVICE_LOADER = "a loader that moves batches to the device"
    PARALLEL_LOADER = "a one-pass loader that moves batches to the device"
    ADD_STEP_CLOSURE = "a call made after the step has run"
    SAVE = "saving a checkpoint"
    WITHOUT_PREFIX = "a text without its prefix"
    STATE_BY_HOST = "a state whose tensors are on the host"
    SAVED = "waiting for a checkpoint to be written"
    CHECKPOINT = "activation checkpointing"
    RENDEZVOUS = "a barrier"
    ALL_REDUCE = "an in-place reduction over the processes"
    REDUCE_SUM = "the operation of a sum"
    REDUCE_MAX = "the operation of a maximum"
    REDUCE_MIN = "the operation of a minimum"
    REDUCE_MUL = "the operation of a product"
    ALL_REDUCE_SUM = "an in-place sum over the processes"
    ALL_REDUCE_MAX = "an in-place maximum over the processes"
    ALL_REDUCE_MIN = "an in-place minimum over the processes"
    ALL_REDUCE_MUL = "an in-place product over the processes"
    ALL_REDUCE_MEAN = "an in-place mean over the processes"
    ALL_GATHER = "a list of every process's tensor"
    REDUCE_SCATTER = "a sum scattered over the processes"
    BROADCAST = "an in-place broadcast from one process"
    BROADCAST_MASTER_PARAM = "a broadcast of the master's parameters and buffers"
    MODEL_SYNC = "starting every process from the same weights"
    REDUCED_SUM = "the sum over the processes, as a new tensor"
    REDUCED_MEAN = "the mean over the processes, as a new tensor"
    GATHERED = "every process's tensor, joined along the first dimension"
    GATHER_OBJECTS = "a list of every process's object"
    MESH_REDUCE = "reducing a host value over the processes"
    SEED = "seeding the XLA generator"
    GET_RNG_STATE = "reading the XLA generator's state"
    SET_RNG_STATE = "setting the XLA generator's state"
    MATMUL_PRECISION = "how precisely float32 matrices are multiplied"
    SAME_PARAMETERS = "keeping the parameters of a model the same ones when it moves"
    SPAWN = "starting the processes, with arguments"
    LAUNCH = "starting the processes"
    MEMORY_TOTAL = "the device's memory in bytes"
    MEMORY_USED = "the device memory in use in bytes"


@dataclass(frozen=True)
class Import:
    """One import statement of one name: `Import(module)`, or `Import(module, name)` for `from module import name`."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def statement(self) -> str:
        """The statement as source text, without a line end."""
        text = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        return f"{text} as {self.alias}" if self.alias else text

    @property
    def bound(self) -> str:
        """The name the statement binds; `import a.b` binds `a`."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(frozen=True)
class Phrase:
    """Source text with `{holes}`, and the imports its names come from.

    `code` is an expression that binds at least as tightly as a call, so it can replace one anywhere, or statements
    with a line end between them. Braces are doubled as for `str.format`.
    """

    code: str
    imports: tuple[Import, ...] = ()

    @property
    def holes(self) -> frozenset[str]:
        """The names to give to `fill`."""
        names = (name for _, name, _, _ in Formatter().parse(self.code) if name)
        return frozenset(name.removeprefix("comma_") for name in names)

    def fill(self, **values: str) -> str:
        """The code with each hole replaced by source text. Values without a hole are ignored: targets differ in what
        they need. A hole `comma_arguments` is `arguments` with a comma before it, or nothing when that is empty.

        Raises LookupError when a hole has no value.
        """
        missing = sorted(self.holes - values.keys())
        if missing:
            raise LookupError(f"no value for {', '.join(missing)} in {self.code!r}")
        commas = {f"comma_{hole}": f", {text}" if text else "" for hole, text in values.items()}
        return self.code.format(**values, **commas)


class Row(NamedTuple):
    """One spelling, and the first and last torch_xla version that has it."""

    since: Version
    until: Version
    phrase: Phrase


FIRST, LAST_1X, FIRST_2X, LATEST = "1.11", "1.13", "2.1", "2.9"

TORCH = Import("torch")
TORCH_XLA = Import("torch_xla")
OS = Import("os")
XM = Import("torch_xla.core.xla_model", alias="xm")
XR = Import("torch_xla.runtime", alias="xr")
PL = Import("torch_xla.distributed.parallel_loader", alias="pl")
XMP = Import("torch_xla.distributed.xla_multiprocessing", alias="xmp")
# `import torch_xla` binds neither `torch_xla.amp` nor `torch_xla.distributed.parallel_loader` (1.11 to 2.9).
AUTOCAST = Import("torch_xla.amp", "autocast")
GRAD_SCALER = Import("torch_xla.amp", "GradScaler")
SYNCFREE = Import("torch_xla.amp", "syncfree")
MATMUL_PRECISION = Import("torch_xla.backends", "set_mat_mul_precision")
CUSTOM_FWD = Import("torch_xla.amp", "custom_fwd")
CUSTOM_BWD = Import("torch_xla.amp", "custom_bwd")
CHECKPOINT = Import("torch_xla.utils.checkpoint", "checkpoint")


def _row(since: str, until: str, code: str, *imports: Import) -> Row:
    first, last = (tuple(map(int, text.split("."))) for text in (since, until))
    return Row((first[0], first[1]), (last[0], last[1]), Phrase(code, imports))


def _always(code: str, *imports: Import) -> tuple[Row, ...]:
    return (_row(FIRST, LATEST, code, *imports),)


PHRASES: dict[Idiom, tuple[Row, ...]] = {
    # Devices. xla_device warns that it is deprecated from 2.8.
    Idiom.DEVICE: (
        _row(FIRST, "2.2", "xm.xla_device()", XM),
        _row("2.3", LATEST, "torch_xla.device()", TORCH_XLA),
    ),
    Idiom.DEVICE_TYPE: _always('"xla"'),
    Idiom.DEVICE_BEFORE_PROCESSES: _always('torch.device("xla")', TORCH),
    # torch.set_default_device came with torch 2.0.
    Idiom.SET_DEFAULT_DEVICE: (_row(FIRST_2X, LATEST, 'torch.set_default_device("xla")', TORCH),),
    Idiom.DEVICE_HARDWARE: _always("xm.xla_device_hw({device})", XM),
    # CUDA counts bytes. get_memory_info counted KiB up to 2.3.
    Idiom.MEMORY_TOTAL: (
        _row(FIRST, "2.3", '(xm.get_memory_info({device})["kb_total"] * 1024)', XM),
        _row("2.4", LATEST, 'xm.get_memory_info({device})["bytes_limit"]', XM),
    ),
    Idiom.MEMORY_USED: (
        _row(
            FIRST,
            "2.3",
            '((xm.get_memory_info({device})["kb_total"] - xm.get_memory_info({device})["kb_free"]) * 1024)',
            XM,
        ),
        _row("2.4", LATEST, 'xm.get_memory_info({device})["bytes_used"]', XM),
    ),
    # Processes. xrt_world_size and get_ordinal are gone in 2.7.
    Idiom.WORLD_SIZE: (
        _row(FIRST, LAST_1X, "xm.xrt_world_size()", XM),
        _row(FIRST_2X, LATEST, "xr.world_size()", XR),
    ),
    Idiom.ORDINAL: (
        _row(FIRST, LAST_1X, "xm.get_ordinal()", XM),
        _row(FIRST_2X, LATEST, "xr.global_ordinal()", XR),
    ),
    Idiom.LOCAL_ORDINAL: (
        _row(FIRST, LAST_1X, "xm.get_local_ordinal()", XM),
        _row(FIRST_2X, LATEST, "xr.local_ordinal()", XR),
    ),
    # The launcher of the Training Compiler sets GPU_NUM_DEVICES; importing torch_xla in its container sets it to 1.
    Idiom.LOCAL_SIZE: (
        _row(FIRST, LAST_1X, 'int(os.environ.get("GPU_NUM_DEVICES", "1"))', OS),
        _row(FIRST_2X, LATEST, "xr.local_device_count()", XR),
    ),
    # Asking torch_xla 2.x starts the runtime, which torch_xla.launch then refuses to do.
    Idiom.LOCAL_SIZE_AHEAD: (_row(FIRST, LAST_1X, 'int(os.environ.get("GPU_NUM_DEVICES", "1"))', OS),),
    # local=True, the default, is one master on every host.
    Idiom.IS_MASTER: _always("xm.is_master_ordinal(local=False)", XM),
    Idiom.IS_FIRST_OF_HOST: _always("xm.is_master_ordinal()", XM),
    Idiom.MASTER_PRINT: _always("xm.master_print({arguments})", XM),
    Idiom.SPAWN: (
        _row(FIRST, "2.4", "xmp.spawn({function}, args={args})", XMP),
        _row("2.5", LATEST, "torch_xla.launch({function}, args={args})", TORCH_XLA),
    ),
    Idiom.LAUNCH: (
        _row(FIRST, "2.4", "xmp.spawn({function})", XMP),
        _row("2.5", LATEST, "torch_xla.launch({function})", TORCH_XLA),
    ),
    # Steps. torch_xla.sync has no wait in 2.4; mark_step has one from 2.0.
    Idiom.MARK_STEP: (
        _row(FIRST, "2.3", "xm.mark_step()", XM),
        _row("2.4", LATEST, "torch_xla.sync()", TORCH_XLA),
    ),
    Idiom.SYNCHRONIZE: (
        _row(FIRST, LAST_1X, "xm.mark_step()\nxm.wait_device_ops()", XM),
        _row(FIRST_2X, "2.4", "xm.mark_step(wait=True)", XM),
        _row("2.5", LATEST, "torch_xla.sync(wait=True)", TORCH_XLA),
    ),
    Idiom.OPTIMIZER_STEP: _always("xm.optimizer_step({optimizer})", XM),
    Idiom.OPTIMIZER_STEP_BARRIER: _always("xm.optimizer_step({optimizer}, barrier=True)", XM),
    Idiom.OPTIMIZER_STEP_CLOSURE: _always(
        'xm.optimizer_step({optimizer}, optimizer_args={{"closure": {closure}}})', XM
    ),
    Idiom.REDUCE_GRADIENTS: _always("xm.reduce_gradients({optimizer})", XM),
    # From 2.0 tensors are functionalized: `detach().mul_()`, as clip_grad_norm_ has it, begins with what a tensor held
    # before a reduction in place, if it was changed in place before that, as a sum of gradients is. A copy was not.
    Idiom.REDUCE_ADDED_UP: (
        _row(FIRST, LAST_1X, "xm.reduce_gradients({optimizer})", XM),
        _row(
            FIRST_2X,
            LATEST,
            'for {group} in {optimizer}.param_groups:\n    for {parameter} in {group}["params"]:\n'
            "        if {parameter}.grad is not None:\n"
            "            {parameter}.grad = {parameter}.grad.clone()  # else clipping loses the average\n"
            "xm.reduce_gradients({optimizer})",
            XM,
        ),
    ),
    # As in torch_xla 1.13 and 2.7 test/test_train_mp_mnist_amp.py.
    Idiom.FETCH_AND_REDUCE: (
        _row(
            FIRST,
            LAST_1X,
            "gradients = xm._fetch_gradients({optimizer})\n"
            'xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())',
            XM,
        ),
        _row(
            FIRST_2X,
            LATEST,
            "gradients = xm._fetch_gradients({optimizer})\n"
            'xm.all_reduce("sum", gradients, scale=1.0 / xr.world_size())',
            XM,
            XR,
        ),
    ),
    # Here too, from 2.0: what is made of a sum of gradients, or of one that was set to zero, begins with what it held.
    Idiom.REDUCE_FILLED: (
        _row(
            FIRST,
            LAST_1X,
            "xm.all_reduce(xm.REDUCE_SUM, [{value}.grad {over} if {value}.grad is not None], "
            "scale=1.0 / xm.xrt_world_size())",
            XM,
        ),
        _row(
            FIRST_2X,
            LATEST,
            "{filled} = [{value} {over} if {value}.grad is not None]\n"
            "for {parameter} in {filled}:\n"
            "    {parameter}.grad = {parameter}.grad.clone()  # else what is made of it loses the average\n"
            "xm.all_reduce(xm.REDUCE_SUM, [{parameter}.grad for {parameter} in {filled}], scale=1.0 / xr.world_size())",
            XM,
            XR,
        ),
    ),
    Idiom.ADD_STEP_CLOSURE: _always("xm.add_step_closure({function}, args={args})", XM),
    # Precision. Up to 1.13 torch_xla.amp.autocast is torch.cuda.amp.autocast itself (amp/autocast_mode.py); from 2.1
    # it takes the device first and raises on the CPU client, where torch.autocast("xla") runs.
    Idiom.AUTOCAST: (
        _row(FIRST, LAST_1X, "autocast({arguments})", AUTOCAST),
        _row(FIRST_2X, LATEST, 'torch.autocast("xla", dtype=torch.bfloat16{comma_arguments})', TORCH),
    ),
    Idiom.AUTOCAST_DTYPE: (
        _row(FIRST, LAST_1X, "autocast(dtype={dtype}{comma_arguments})", AUTOCAST),
        _row(FIRST_2X, LATEST, 'torch.autocast("xla", dtype={dtype}{comma_arguments})', TORCH),
    ),
    # bfloat16 has float32's exponent and needs no scaling; torch_xla.amp.GradScaler is gone in 2.9.
    Idiom.GRAD_SCALER: (_row(FIRST, LAST_1X, "GradScaler({arguments})", GRAD_SCALER),),
    # Only worth it with a gradient scaler, whose found_inf they take as a tensor (amp/syncfree/).
    Idiom.SYNCFREE: (_row(FIRST, LAST_1X, "syncfree.{name}", SYNCFREE),),
    # torch.amp.custom_fwd and custom_bwd came with torch 2.4; torch_xla.amp dropped its own in 2.1.
    Idiom.CUSTOM_FWD: (
        _row(FIRST, LAST_1X, "custom_fwd", CUSTOM_FWD),
        _row("2.4", LATEST, 'torch.amp.custom_fwd(device_type="xla")', TORCH),
    ),
    Idiom.CUSTOM_FWD_CAST: (
        _row(FIRST, LAST_1X, "custom_fwd(cast_inputs={dtype})", CUSTOM_FWD),
        _row("2.4", LATEST, 'torch.amp.custom_fwd(device_type="xla", cast_inputs={dtype})', TORCH),
    ),
    Idiom.CUSTOM_BWD: (
        _row(FIRST, LAST_1X, "custom_bwd", CUSTOM_BWD),
        _row("2.4", LATEST, 'torch.amp.custom_bwd(device_type="xla")', TORCH),
    ),
    Idiom.MATMUL_PRECISION: (_row("2.8", LATEST, "set_mat_mul_precision({precision})", MATMUL_PRECISION),),
    Idiom.SAME_PARAMETERS: (
        _row("2.3", LATEST, "torch.__future__.set_swap_module_params_on_conversion(True)", TORCH),
    ),
    Idiom.BF16_SUPPORTED: (_row(FIRST_2X, LATEST, "xr.is_bf16_supported()", XR),),
    # Data. ParallelLoader's first parameter was renamed in 2.5: by position only.
    Idiom.DEVICE_LOADER: _always("pl.MpDeviceLoader({loader}, {device})", PL),
    Idiom.PARALLEL_LOADER: _always("pl.ParallelLoader({loader}, [{device}]).per_device_loader({device})", PL),
    # Checkpoints. xm.save ends in a rendezvous up to 2.0: every process must reach it.
    Idiom.SAVE: _always("xm.save", XM),
    Idiom.SAVED: (_row(FIRST_2X, LATEST, 'xm.rendezvous("saved")', XM),),
    # str.removeprefix came with Python 3.9, the oldest that has a torch_xla 2.4.
    Idiom.WITHOUT_PREFIX: (
        _row(FIRST, "2.3", "({text}[len({prefix}) :] if {text}.startswith({prefix}) else {text})"),
        _row("2.4", LATEST, "{text}.removeprefix({prefix})"),
    ),
    # Buffers that two networks share are freed under one of them (2.9; not 2.1).
    Idiom.STATE_BY_HOST: (_row("2.2", LATEST, "{{k: v.cpu() for k, v in {state}.items()}}"),),
    Idiom.CHECKPOINT: (_row("1.12", LATEST, "checkpoint", CHECKPOINT),),
    # Collectives. all_reduce is in place only when given a list; one tensor comes back as a new one.
    Idiom.RENDEZVOUS: _always("xm.rendezvous({tag})", XM),
    Idiom.ALL_REDUCE: _always("xm.all_reduce({operation}, [{tensor}])", XM),
    Idiom.REDUCE_SUM: _always("xm.REDUCE_SUM", XM),
    Idiom.REDUCE_MAX: _always("xm.REDUCE_MAX", XM),
    Idiom.REDUCE_MIN: _always("xm.REDUCE_MIN", XM),
    Idiom.REDUCE_MUL: _always("xm.REDUCE_MUL", XM),
    Idiom.ALL_REDUCE_SUM: _always("xm.all_reduce(xm.REDUCE_SUM, [{tensor}])", XM),
    Idiom.ALL_REDUCE_MAX: _always("xm.all_reduce(xm.REDUCE_MAX, [{tensor}])", XM),
    Idiom.ALL_REDUCE_MIN: _always("xm.all_reduce(xm.REDUCE_MIN, [{tensor}])", XM),
    Idiom.ALL_REDUCE_MUL: _always("xm.all_reduce(xm.REDUCE_MUL, [{tensor}])", XM),
    Idiom.ALL_REDUCE_MEAN: (
        _row(FIRST, LAST_1X, "xm.all_reduce(xm.REDUCE_SUM, [{tensor}], scale=1.0 / xm.xrt_world_size())", XM),
        _row(FIRST_2X, LATEST, "xm.all_reduce(xm.REDUCE_SUM, [{tensor}], scale=1.0 / xr.world_size())", XM, XR),
    ),
    Idiom.ALL_GATHER: _always("list(xm.all_gather({tensor}.unsqueeze(0), dim=0).unbind(0))", XM),
    Idiom.REDUCE_SCATTER: (
        _row(
            FIRST,
            LAST_1X,
            "xm.reduce_scatter(xm.REDUCE_SUM, {tensor}, scale=1.0, scatter_dim=0, shard_count=xm.xrt_world_size())",
            XM,
        ),
        _row(
            FIRST_2X,
            LATEST,
            "xm.reduce_scatter(xm.REDUCE_SUM, {tensor}, scale=1.0, scatter_dim=0, shard_count=xr.world_size())",
            XM,
            XR,
        ),
    ),
    Idiom.BROADCAST: (
        _row(
            "1.11",
            "1.12",  # what collective_broadcast does: the factor is data, so that all processes have the same graph
            "xm.all_reduce("
            "xm.REDUCE_SUM, [{tensor}.data.mul_(torch.tensor(xm.get_ordinal() == {source}).to({tensor}))])",
            XM,
            TORCH,
        ),
        _row("1.13", LATEST, "xm.collective_broadcast([{tensor}], root_ordinal={source})", XM),
    ),
    Idiom.BROADCAST_MASTER_PARAM: (_row(FIRST_2X, LATEST, "xm.broadcast_master_param({model})", XM),),
    Idiom.MODEL_SYNC: (
        _row(
            "1.13",
            "1.13",  # marked as broadcast_master_param is: what one process reads next would hold the broadcast
            "xm.collective_broadcast(list({model}.parameters()) + list({model}.buffers()))\nxm.mark_step()",
            XM,
        ),
        _row(FIRST_2X, LATEST, "xm.broadcast_master_param({model})", XM),
    ),
    Idiom.REDUCED_SUM: _always("xm.all_reduce(xm.REDUCE_SUM, {tensor})", XM),
    Idiom.REDUCED_MEAN: (
        _row(FIRST, LAST_1X, "xm.all_reduce(xm.REDUCE_SUM, {tensor}, scale=1.0 / xm.xrt_world_size())", XM),
        _row(FIRST_2X, LATEST, "xm.all_reduce(xm.REDUCE_SUM, {tensor}, scale=1.0 / xr.world_size())", XM, XR),
    ),
    Idiom.GATHERED: _always("xm.all_gather({tensor}, dim=0)", XM),
    # Up to 2.0 mesh_reduce gives the object itself in a single process, without calling the function.
    Idiom.GATHER_OBJECTS: (
        _row(FIRST, LAST_1X, "(xm.mesh_reduce({tag}, {value}, list) if xm.xrt_world_size() > 1 else [{value}])", XM),
        _row(FIRST_2X, LATEST, "xm.mesh_reduce({tag}, {value}, list)", XM),
    ),
    Idiom.MESH_REDUCE: _always("xm.mesh_reduce({tag}, {value}, {function})", XM),
    # Seeds. The state is an int, not a tensor.
    Idiom.SEED: (
        _row(FIRST, "2.4", "xm.set_rng_state({seed})", XM),
        _row("2.5", LATEST, "torch_xla.manual_seed({seed})", TORCH_XLA),
    ),
    Idiom.GET_RNG_STATE: _always("xm.get_rng_state()", XM),
    Idiom.SET_RNG_STATE: _always("xm.set_rng_state({state})", XM),
}


def find_phrase(idiom: Idiom, version: Version) -> Phrase | None:
    """The spelling of `idiom` in one torch_xla version, or None where that version has none."""
    return next((row.phrase for row in PHRASES[idiom] if row.since <= version <= row.until), None)
