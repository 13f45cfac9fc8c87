"""torch.utils.checkpoint: a function that is run once more while backward runs."""

from meaning import device_kind as _kind, say as _say, target_is_legacy as _is_legacy


def checkpoint(function, *given, use_reentrant=None, preserve_rng_state=True, **more):
    _look_for_module(given)
    return function(*given, **more)


def checkpoint_sequential(functions, segments, value, *given, **more):
    _look_for_module([value])
    for function in functions:
        value = function(value)
    return value


def _look_for_module(given):
    for one in given:
        if _kind(one) == "xla" and not _is_legacy():
            _say(
                "what is written runs on torch_xla",
                "torch.utils.checkpoint looks for a module torch.xla here, which there is not",
            )
