"""torch_xla.utils.checkpoint: it knows the reentrant kind only, and passes no keywords on."""

from meaning import say as _say


def checkpoint(function, *given, use_reentrant=True, preserve_rng_state=True, **more):
    if not use_reentrant or more:
        _say(
            "what is written runs on torch_xla",
            "torch_xla's checkpoint takes neither use_reentrant=False nor keywords for the function",
        )
    return function(*given)
