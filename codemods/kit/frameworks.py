"""Libraries that run the training for a script, split the model over devices or build engines of CUDA: which of them it
stands on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import libcst as cst

from codemods.kit.names import Names, dotted
from codemods.kit.tree import Tree


class Stands(Enum):
    """What a library does to a script that stands on it."""

    DRIVES = "it moves, wraps, steps and saves by itself"
    SHARDS = "it splits the model over devices, which cannot be undone file by file"
    CONVERTS = "it builds or runs engines of CUDA from a model that is trained"


@dataclass(frozen=True)
class Library:
    """One such library."""

    name: str
    parts: tuple[str, ...]
    """Qualified names at or under one of these mean it."""
    stands: Stands
    advice: str
    does: str = "splits the model over devices"
    compiler: str = ""
    """The advice for the Training Compiler, where it is another."""


_RUNS = "runs the training"
LIBRARIES = (
    Library("FullyShardedDataParallel", ("torch.distributed.fsdp", "torch.distributed._composable.fsdp"), Stands.SHARDS,
            "rewrite it with torch_xla.distributed.fsdp.XlaFullyShardedDataParallel, and step with optimizer.step()"),
    Library("DeepSpeed", ("deepspeed",), Stands.SHARDS,
            "train without it, or with torch_xla's FSDP; its engine is CUDA only"),
    Library("Megatron", ("megatron", "megatron_core"), Stands.SHARDS,
            "torch_xla has no tensor or pipeline parallelism of this kind"),
    Library("SageMaker model parallel", ("smdistributed.modelparallel",), Stands.SHARDS,
            "the Training Compiler is not compatible with it: whether the model fits without it is yours to decide"),
    Library("pipeline parallelism", ("torch.distributed.pipeline", "torch.distributed.pipelining"), Stands.SHARDS,
            "torch_xla has no counterpart"),
    Library("tensor parallelism", ("torch.distributed.tensor",), Stands.SHARDS, "use torch_xla's SPMD sharding"),
    Library("torch.distributed.rpc", ("torch.distributed.rpc", "torch.distributed.autograd"), Stands.SHARDS,
            "torch_xla has no remote calls: train with one process for each device", "calls other processes"),
    Library("FairScale", ("fairscale",), Stands.SHARDS, "train without it, or with torch_xla's FSDP"),
    Library("Colossal-AI", ("colossalai",), Stands.SHARDS, "train without it, or with torch_xla's FSDP"),
    Library("NVIDIA DALI", ("nvidia.dali",), Stands.SHARDS,
            "it decodes on CUDA: read the data with torch.utils.data.DataLoader",
            "feeds the training"),
    Library("TensorRT", ("torch2trt", "tensorrt", "torch_tensorrt", "trtorch", "tensorrt_llm", "onnx_tensorrt",
                         "pycuda"), Stands.CONVERTS,
            "run this script with CUDA; it loads checkpoints that were saved on XLA", "builds or runs engines of CUDA"),
    Library("Accelerate", ("accelerate.Accelerator",), Stands.DRIVES,
            "it knows XLA: install torch_xla beside it and start the script with its launcher", _RUNS),
    Library("Lightning", tuple(f"{m}.{c}" for m in ("pytorch_lightning", "lightning", "lightning.pytorch")
                               for c in ("Trainer", "LightningModule")), Stands.DRIVES,
            'choose Trainer(accelerator="tpu"), of a release that knows the torch_xla version', _RUNS,
            "it asks XLA for TPUs, and finds none on GPUs: write the training loop out, or leave the compiler out"),
    Library("fastai", ("fastai",), Stands.DRIVES, "it has no XLA device: write the training loop out", _RUNS),
    Library("Ignite", ("ignite.engine",), Stands.DRIVES,
            'use ignite.distributed with backend="xla-tpu", and its device', _RUNS),
    Library("Composer", ("composer.Trainer", "composer.trainer"), Stands.DRIVES, 'use Trainer(device="tpu")', _RUNS),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Use:
    """A library a script stands on, and where that shows."""

    library: Library
    node: cst.CSTNode
    certain: bool
    """Imported unconditionally: not in a `try`, an `if` or a function, as an option of the script would be."""


def read_frameworks(tree: Tree, names: Names) -> tuple[Use, ...]:
    """The libraries a script imports and uses, once each, in the order of the table."""
    found: list[Use] = []
    for library in LIBRARIES:
        if not any(part.partition(".")[0] in names.modules for part in library.parts):
            continue
        if library.stands is Stands.CONVERTS and "torch" not in names.modules:
            continue  # there is no model to move
        uses = [node for part in library.parts for _, node in names.uses(part)]
        if not uses and library.parts[0].startswith("torch."):
            continue
        imports = [statement for statement in _imports(tree) if any(_brings(statement, part) for part in library.parts)]
        starred = [statement for statement in imports if isinstance(statement, cst.ImportFrom)
                   and isinstance(statement.names, cst.ImportStar)]  # fmt: skip
        if uses or starred:
            plain = [use for use in uses if not _is_optional(tree, use)]
            first = next((statement for statement in imports if not _is_optional(tree, statement)), None)
            imported = first is not None or not imports
            imported = imported and not (library.stands is Stands.CONVERTS and _trains(tree))
            found.append(Use(library, first or (imports or uses)[0], imported and bool(plain or starred)))
    return tuple(found)


def _trains(tree: Tree) -> bool:
    """Whether a script does more with a model than to convert it."""
    named = (dotted(call.func) for call in tree.all(cst.Call))
    called = {(name or "").rpartition(".")[2] for name in named}
    return not called.isdisjoint(("backward", "zero_grad", "fit")) or any(one.startswith("train") for one in called)


def _imports(tree: Tree) -> list[cst.Import | cst.ImportFrom]:
    return [*tree.all(cst.Import), *tree.all(cst.ImportFrom)]


def _brings(statement: cst.Import | cst.ImportFrom, part: str) -> bool:
    """Whether an import statement imports from a library, or the library itself."""
    if isinstance(statement, cst.Import):
        top = part.partition(".")[0]
        return any(
            _within(alias.evaluated_name, part) or alias.evaluated_name == top != "torch" for alias in statement.names
        )
    if statement.relative or statement.module is None:
        return False
    origin = cst.Module(body=()).code_for_node(statement.module)
    aliases = () if isinstance(statement.names, cst.ImportStar) else statement.names
    return _within(origin, part) or any(_within(f"{origin}.{alias.evaluated_name}", part) for alias in aliases)


def _within(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


def _is_optional(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a condition decides, in its function, if a node is reached; a test for a class is no use of it."""
    for outer in tree.ancestors(node):
        if isinstance(outer, cst.If | cst.IfExp | cst.Try | cst.Annotation):
            return not _is_main_guard(outer)
        if isinstance(outer, cst.Call) and isinstance(outer.func, cst.Name) and outer.func.value == "isinstance":
            return True
        if isinstance(outer, cst.FunctionDef) and isinstance(node, cst.Import | cst.ImportFrom):
            return True
        if isinstance(outer, cst.FunctionDef | cst.ClassDef):
            return False
    return False


def _is_main_guard(node: cst.CSTNode) -> bool:
    """`if __name__ == "__main__":` is no option."""
    return isinstance(node, cst.If) and isinstance(node.test, cst.Comparison) and (
        isinstance(node.test.left, cst.Name) and node.test.left.value == "__name__"
    )  # fmt: skip
