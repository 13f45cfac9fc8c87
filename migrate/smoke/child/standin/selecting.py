"""Steps that are taken, or left out, by a value on the device: what the syncfree optimizers are made of."""

from __future__ import annotations

from typing import Any

import torch


def choose(found_inf: Any, target: Any, value: Any) -> None:
    """Set `target` to `value` unless `found_inf` is other than 0."""
    target.copy_(torch.where(found_inf == 0, value, target))


def check_scalar(found_inf: Any, closure: Any) -> Any:
    """The loss of the closure, if there is one. Raises ValueError when `found_inf` is not a scalar."""
    if found_inf.shape:
        raise ValueError("The found_inf tensor has to be scalar type")
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def step_by_adam(optimizer: Any, found_inf: Any, decoupled: bool) -> None:
    """One step of Adam, or with weight decay `decoupled` of AdamW, on every parameter that has a gradient.

    Raises KeyError "max_exp_avg_sq" for a state that torch.optim made, as torch_xla does.
    """
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            if parameter.grad.is_sparse:
                raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")
            state = optimizer.state[parameter]
            if not state:
                state["step"] = torch.zeros_like(found_inf)
                for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"):
                    state[name] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
            step_one(parameter, state, group, found_inf, decoupled)


def step_one(parameter: Any, state: dict[str, Any], group: dict[str, Any], found_inf: Any, decoupled: bool) -> None:
    """Adam's step of one parameter."""
    average, squares, largest = state["exp_avg"], state["exp_avg_sq"], state["max_exp_avg_sq"]
    (beta1, beta2), decay, rate = group["betas"], group["weight_decay"], group["lr"]
    gradient = -parameter.grad if group["maximize"] else parameter.grad
    moved = parameter
    if decay and decoupled:
        moved = moved.mul(1 - rate * decay)
    elif decay:
        gradient = gradient.add(parameter, alpha=decay)
    count = state["step"] + 1
    new_average = average.lerp(gradient, 1 - beta1)
    new_squares = squares.mul(beta2).addcmul(gradient, gradient, value=1 - beta2)
    root = new_squares
    if group["amsgrad"]:
        root = torch.maximum(largest, new_squares)
        choose(found_inf, largest, root)
    # In float32 the difference of one and a power close to it would lose half of its digits.
    exact = count.double()
    size = rate / (1 - torch.pow(beta1, exact))
    divisor = (root.sqrt() / (1 - torch.pow(beta2, exact)).sqrt()).add(group["eps"])
    choose(found_inf, parameter, moved - size * (new_average / divisor))
    choose(found_inf, average, new_average)
    choose(found_inf, squares, new_squares)
    choose(found_inf, state["step"], count)
