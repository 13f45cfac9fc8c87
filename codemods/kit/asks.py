"""Whether a script asks for an accelerator at all. One that trains on the CPU by design stays as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.accelerator import is_config
from codemods.kit.compiled import compiled
from codemods.kit.device_indexes import is_numbered
from codemods.kit.launch import Launch
from codemods.kit.options import text
from codemods.kit.ranks import MPI
from codemods.kit.roles import Role, Values

if TYPE_CHECKING:
    from codemods.kit.links import Links
    from codemods.kit.meaning.shown import Meaning
    from codemods.kit.script import Script

_LIBRARIES = ("torch.cuda", "torch.accelerator", "torch.backends.cudnn", "torch.backends.cuda", "torch.distributed",
              "torch.nn.parallel", "torch.nn.DataParallel", "torch.amp", "torch.autocast", "torch_xla",
              "torch.nn.SyncBatchNorm", "torch.utils.data.distributed",
              "torch.utils.data.DistributedSampler")  # fmt: skip
_TIE = re.compile(r"^\s+self\.[\w.]+\.(weight|bias) = self\.[\w.]+\.\1\b", re.MULTILINE)
_PACKAGES = {
    "apex",
    "amp_C",
    "apex_C",
    "horovod",
    "smdistributed",
    "torch_xla",
    "deepspeed",
    "accelerate",
    "megatron",
    "fairscale",
}


SPARSE = ("torch.sparse_coo_tensor", "torch.sparse_csr_tensor", "torch.sparse_csc_tensor", "torch.sparse_bsr_tensor",
          "torch.sparse_compressed_tensor", "torch.sparse.FloatTensor", "torch.sparse.DoubleTensor",
          "torch.sparse.LongTensor", "torch.sparse.HalfTensor")  # fmt: skip
"""What makes a sparse tensor, which no XLA device can hold."""
_OPERATORS = ("torch.stft", "torch.istft", "torch.view_as_real", "torch.fft.*")
"""Operators that fail on some torch_xla, and are called in files of their own; `codemods/failing_operators.py`."""
_WRAPS = ("torch.utils.checkpoint", "torch.compile", "torch.utils.cpp_extension.load",
          "torch.utils.cpp_extension.load_inline")  # fmt: skip
"""What is asked on the device its tensors are on, and fails there; kernels that are built where they are imported."""


def asks_for_accelerator(script: Script) -> bool:
    """Whether anything in the script uses CUDA, another accelerator or a device it is given, or trains with parts it
    gets from elsewhere, which may live on one."""
    names = script.names
    if _is_told(script, script.links) or was_on_one(script.links.meaning):
        return True
    if names.modules & _PACKAGES or any(True for prefix in _LIBRARIES for _ in names.uses(prefix)):
        return True
    if script.launch.kind is not Launch.SINGLE or script.frameworks:
        return True
    if _moves_by_method(script) or _has_device(script) or _pins(script) or _ties_for_others(script):
        return True
    if (script.defines_backward or script.loops.backwards) and not script.uses_torch:
        return False
    return any(not isinstance(step.value.origin, cst.Call) for step in script.loops.steps)


def was_on_one(meaning: Meaning | None) -> bool:
    """Whether an expression of a script was the accelerator when its program was executed abstractly, it moves a model
    there, or an optimizer took parameters in it that the accelerator got later."""
    if meaning is None:
        return False
    every = meaning.parts.items()
    # A text is a device where it is written, if it is used as one; what else holds it may only print it.
    return meaning.moves or bool(meaning.early) or any(
        (part.role == Role.DEVICE.value and (part.of == "torch.device" or spelled[0] in "\"'"))
        or (part.role == Role.TENSOR_TYPE.value and part.of.startswith("torch.cuda."))
        for (_, spelled), parts in every
        for part in parts
    )


def _is_told(script: Script, links: Links) -> bool:
    """Whether other files show it: they hand it a model that it trains, or models in parallel wrappers, step for it
    what is on the accelerator, step what it builds through a scaler, leave to it to average gradients, have it save
    what is on the device, recompute it, load networks, make sparse tensors or use what else fails there, draw on the
    device from what it seeds, or train in several processes on the data it loads or shares out by MPI's ranks."""
    trained = links.trained or (links.meaning is not None and links.meaning.trained)
    if links.several and (trained or any(True for _ in script.names.uses(MPI))):
        return True
    if links.scaled or links.averages or (links.accelerated and _fails_there(script)):
        return True
    seen = links.meaning
    if links.accelerated and seen is not None and (seen.pickled or seen.prefixed or any(seen.located.values())):
        return True
    if links.meaning is not None and links.meaning.seeds and not links.staying:
        return True
    if links.meaning is not None and links.meaning.updates and links.steps:
        return True
    passed = [known for values in links.parameters.values() for known in values]
    if links.accelerated and script.loops.steps and any(known.role is Role.MODEL for known in passed):
        return True
    return any(known.wrapped for known in passed)


def _fails_there(script: Script) -> bool:
    """Whether something in the script does not work on what others put on the accelerator."""
    if script.calls("torch.save", *SPARSE) or any(True for one in _WRAPS for _ in script.names.uses(one)):
        return True
    if script.calls(*_OPERATORS) or any(one in script.tree.source for one in (".fill_diagonal_(", "_orig_mod")):
        return True
    return any(True for _ in compiled(script))


def _pins(script: Script) -> bool:
    """`pin_memory=True`, also in a dict, and `x.pin_memory()`: memory is pinned for copies to CUDA only."""
    if "pin_memory" not in script.tree.source:
        return False
    if any(
        isinstance(element, cst.DictElement)
        and isinstance(element.key, cst.SimpleString)
        and text(element.key) == "pin_memory"
        and isinstance(element.value, cst.Name)
        and element.value.value == "True"
        for options in script.tree.all(cst.Dict)
        for element in options.elements
    ):
        return True
    return any(
        (isinstance(call.func, cst.Attribute) and call.func.attr.value == "pin_memory" and not call.args)
        or any(
            arg.keyword is not None
            and arg.keyword.value == "pin_memory"
            and isinstance(arg.value, cst.Name)
            and arg.value.value == "True"
            for arg in call.args
        )
        for call in script.tree.all(cst.Call)
    )


def _ties_for_others(script: Script) -> bool:
    """A file that only defines models, one of which shares weights: whoever trains it may move it and part them."""
    if not _TIE.search(script.tree.source) or script.loops.steps or script.loops.backwards:
        return False
    return any(script.roles.class_role(class_) is Role.MODEL for class_ in script.tree.all(cst.ClassDef))


def _moves_by_method(script: Script) -> bool:
    """`x.cuda()` and `x.is_cuda` on anything that is not an object of the script's own."""
    for node in script.tree.all(cst.Attribute):
        if node.attr.value in ("cuda", "is_cuda") and script.qualified(node) is None:
            values = script.roles.values(node.value)
            if not any(value.role is Role.OTHER for value in values) and not defines(script, node.attr.value, values):
                return True
    return False


def defines(script: Script, method: str, values: Values) -> bool:
    """Whether a class of the script that is no module has a method of this name, and nothing says that the receiver
    is anything else."""
    return not values and any(
        script.roles.class_role(class_) is Role.OTHER and script.names.method(class_, method) is not None
        for class_ in script.tree.all(cst.ClassDef)
    )


def _named_elsewhere(script: Script) -> frozenset[str]:
    """Attributes that other files of the project set to the name of the CUDA device."""
    return script.links.device_texts


def _has_device(script: Script) -> bool:
    """A device position that holds the accelerator, or something only the caller knows."""
    accelerator = script.accelerator
    for node in script.device_positions.seeds:
        if accelerator.means(node) or script.device_positions.is_index(node):
            return True
        if isinstance(node, cst.Attribute) and is_config(node) and node.attr.value in _named_elsewhere(script):
            return True
        if isinstance(node, cst.Name) and "device" in node.value:
            bindings = script.names.bindings(node)
            if bindings and all(binding.kind == "parameter" for binding in bindings):
                return True
        if isinstance(node, cst.Attribute) and node.attr.value == "device" and not isinstance(node.value, cst.Name):
            return True
    if any(call.args and is_numbered(call.args[0].value) for call in script.calls("torch.device")):
        return True
    return any(
        text(node).startswith("torch.cuda.")
        for node in script.tree.all(cst.SimpleString)
        if node.value[1:7] == "torch."
    )
