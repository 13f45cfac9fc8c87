"""Reads what a script says of itself as a part of a SageMaker job: as its launcher, or as what is launched."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from codemods.kit.entry import trains_by_xla_ranks
from codemods.kit.estimators import Estimator
from codemods.kit.job_scripts import JobRole, Started
from codemods.kit.launch import Launch
from codemods.kit.script import Script
from codemods.kit.starters import starters

TRAINING_SCRIPT = "training_script"
"""The hyperparameter by which a launcher of the older containers is told what to start."""
_RANKS = ("torch_xla.core.xla_model.get_ordinal", "torch_xla.core.xla_model.xrt_world_size", "torch_xla.runtime",
          "torch.distributed", "torch.utils.data.distributed", "torch.nn.parallel", "torch.nn.DataParallel",
          "transformers", "accelerate", "pytorch_lightning", "lightning", "horovod", "smdistributed",
          "webdataset")  # fmt: skip
"""What tells a script its rank, or asks for it, to give each process its part of the work."""


def read_role(script: Script) -> JobRole:
    """What a script would be to a job that starts it."""
    enters = script.launch.kind is not Launch.SINGLE or trains_by_xla_ranks(script)
    asks = any(next(iter(script.names.uses(name)), None) is not None for name in _RANKS)
    return JobRole(enters, asks or script.is_driven, bool(starters(script)))


def read_started(script: Script) -> Iterator[Started]:
    """The training scripts that a launcher names in plain text."""
    for estimator in script.estimators:
        entry, folder = _entry(estimator), estimator.literal("source_dir")
        if entry is not None and (folder is None or isinstance(folder, str)) and "://" not in f"{folder}":
            path = normpath(f"{folder}/{entry}" if folder else entry)
            if not path.startswith("/"):
                yield Started(script.tree.order[estimator.call], path, folder or "")


def _entry(estimator: Estimator) -> str | None:
    parameters = estimator.literal("hyperparameters")
    told = parameters.get(TRAINING_SCRIPT) if isinstance(parameters, dict) else None
    return told if isinstance(told, str) else estimator.text("entry_point")
