"""Python's builtins that can be said in Python."""

from meaning import fresh, tensor_or_first


def enumerate(elements, start=0):
    for element in elements:
        yield fresh("index", "varying"), element


def zip(*several):
    if len(several) == 1:
        for element in several[0]:
            yield (element,)
    elif len(several) == 2:
        second = iter(several[1])
        for element in several[0]:
            yield element, next(second)
    else:
        rest = [iter(one) for one in several[1:]]
        for element in several[0]:
            yield (element, *[next(one) for one in rest])


def map(function, *several):
    if len(several) == 1:
        for element in several[0]:
            yield function(element)
    else:
        for together in zip(*several):
            yield function(*together)


def filter(function, elements):
    for element in elements:
        if function is not None:
            function(element)
        yield element


def sorted(elements, key=None, reverse=False):
    every = [element for element in elements]
    tensor_or_first(every if key is None else [key(element) for element in every])
    return every


def reversed(elements):
    return [element for element in elements]


def sum(elements, start=0):
    total = start
    for element in elements:
        total = total + element
    return total


def max(*elements, key=None, default=None):
    return tensor_or_first(*elements)


def min(*elements, key=None, default=None):
    return tensor_or_first(*elements)


def any(elements):
    found = fresh("any")
    for element in elements:
        found = tensor_or_first(bool(element), found)
    return found


def all(elements):
    found = fresh("all")
    for element in elements:
        found = tensor_or_first(bool(element), found)
    return found
