"""Batches that are graph objects of PyTorch Geometric or DGL, with a `.to(device)` of their own.

A device loader takes a batch apart to move its tensors. It fails on such an object (TypeError in the loader's thread on
torch_xla 2.9), so these loops keep their loader and their moves, and a mark executes each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.loops import BatchLoop

if TYPE_CHECKING:
    from codemods.kit.script import Script

LIBRARIES = ("torch_geometric.", "dgl.")
_ATTRIBUTES = ("edge_index", "edge_attr", "adj_t", "num_graphs", "ndata", "edata")


def holds_graphs(script: Script, loop: BatchLoop, feeds: Sequence[cst.BaseExpression]) -> bool:
    """Whether a loop goes through graphs: by the library of its loader, or by what it reads of each batch."""
    for feed in feeds:
        for value in script.roles.values(feed):
            made = script.qualified(value.origin.func) if isinstance(value.origin, cst.Call) else None
            if value.of.startswith(LIBRARIES) or (made or "").startswith(LIBRARIES):
                return True
    return any(_is_of_a_graph(script, loop, node) for node in script.tree.inside(loop.loop.body, cst.Attribute))


def _is_of_a_graph(script: Script, loop: BatchLoop, node: cst.Attribute) -> bool:
    """`batch.edge_index` of the loop's own batch."""
    if node.attr.value not in _ATTRIBUTES or not isinstance(node.value, cst.Name):
        return False
    return any(binding.node is loop.loop for binding in script.names.bindings(node.value))
