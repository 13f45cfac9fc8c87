"""functools: functions made of functions."""

from meaning import make_partial


def partial(function, *given, **more):
    return make_partial(function, *given, **more)


def wraps(wrapped, *given, **more):
    return lambda function: function


def lru_cache(function=None, *given, **more):
    return function if callable_function(function) else (lambda inner: inner)


cache = cached_property = lru_cache


def update_wrapper(wrapper, *given):
    return wrapper


def reduce(function, elements, start=None):
    total = start
    for element in elements:
        total = function(total, element) if total is not None else element
    return total


partialmethod = partial
total_ordering = lambda cls: cls


from meaning import callable_function
