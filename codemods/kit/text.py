"""The text of a module, as `module.code` gives it.

LibCST asks its codegen state to record where each node stands and enters a context for each one; nobody reads that
here, and it is a third of what writing costs.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import libcst as cst
from libcst._nodes.internal import CodegenState

_NOTHING = nullcontext()


def text_of(module: cst.Module) -> str:
    """What `module.code` is."""
    state = _Tokens(default_indent=module.default_indent, default_newline=module.default_newline)
    module._codegen(state)
    return "".join(state.tokens)


class _Tokens(CodegenState):
    """Gathers tokens, and no positions."""

    def record_syntactic_position(  # type: ignore[override]  # any context manager will do
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        return _NOTHING
