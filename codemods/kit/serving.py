"""The functions that a SageMaker endpoint calls, `model_fn` and its kind: its container has no torch_xla."""

from __future__ import annotations

import libcst as cst

_SERVING = {"model_fn", "input_fn", "predict_fn", "output_fn", "transform_fn"}


def serving_functions(module: cst.Module) -> list[cst.FunctionDef]:
    """The functions of a script that an endpoint calls: `model_fn(model_dir)`, and what stands beside it under the
    names of the inference toolkit. One function of such a name alone may be anything."""
    named = [each for each in module.body if isinstance(each, cst.FunctionDef) and each.name.value in _SERVING]
    return named if len(named) > 1 or any(map(_loads, named)) else []


def _loads(function: cst.FunctionDef) -> bool:
    first = next(iter(function.params.params), None)
    return function.name.value == "model_fn" and first is not None and first.name.value == "model_dir"
