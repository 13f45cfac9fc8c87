"""itertools: iterators over iterators."""

from meaning import fresh, picked_by


def cycle(elements):
    while True:
        for element in elements:
            yield element


def chain(*several):
    for elements in several:
        for element in elements:
            yield element


chain.from_iterable = None


def count(start=0, step=1):
    while True:
        yield fresh("count", "varying")


def islice(elements, *given):
    for element in elements:
        yield picked_by(element, *given)


def repeat(element, times=None):
    while True:
        yield element


def product(*several):
    return [tuple([next(iter(one)) for one in several])]


def zip_longest(*several, fillvalue=None):
    return zip(*several)


def __getattr__(name):
    from meaning import plain
    return plain("itertools." + name)
