"""A stand-in for torch_xla over native torch: any version's names, the same training, nothing of XLA itself.

`names` serves the modules. What is implemented lies in `torch_xla/`, in torch_xla's own layout, and is executed in the
modules that it serves; everything else of the version's vocabulary is there and says that it is not implemented.
`layer` is what makes xla devices work, `world` the training processes and what they exchange.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from . import layer, names, world

order: dict[str, Any] = {}
version: tuple[int, int] = (0, 0)
"""The torch_xla whose names are served."""
device: layer.Layer = layer.Layer()


def prepare(given: dict[str, Any]) -> None:
    """Serve `import torch_xla` in this process by the stand-in, ahead of a torch_xla that is installed."""
    global order, version
    order = given
    major, minor = given["version"].split(".")[:2]
    version = (int(major), int(minor))
    sys.meta_path.insert(0, names.Finder(names.Vocabulary(Path(given["api"]), version)))


def install(torch: Any) -> None:
    """Make the device "xla" work in this process; `torch` has just been imported."""
    global device
    world.enter(order)
    device = layer.choose(order)
    device.install(torch, order)
