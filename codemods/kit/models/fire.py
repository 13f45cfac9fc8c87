"""Python Fire: a function's parameters are the command line; of a dictionary of functions it picks one."""

from meaning import from_options, symbol


def Fire(component=None, *given, **more):
    if isinstance(component, dict):
        for function in component.values():
            if symbol("command"):
                return from_options(function)
        return None
    if component is not None:
        return from_options(component)
