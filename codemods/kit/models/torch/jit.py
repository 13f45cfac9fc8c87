"""torch.jit: a compiled module or function does what it did before."""

from meaning import compile_script as _compile, loaded, saved, unknown


def script(value=None, *given, **more):
    _compile(value)
    return value


def trace(value, *given, **more):
    return value


def ignore(function=None, *given, **more):
    return function if function is not None else ignore


unused = freeze = optimize_for_inference = ignore
script_method = script_if_tracing = export = script


def is_scripting():
    return False


is_tracing = is_scripting


def save(value, *given, **more):
    saved(value, "torch.jit.save")


def load(path, map_location=None, *given, **more):
    return loaded(path, map_location)


class ScriptModule:
    pass


def __getattr__(name):
    return unknown("torch.jit." + name)
