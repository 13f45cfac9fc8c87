"""tqdm.contrib: built-in functions with a bar."""

from tqdm import tqdm


def tenumerate(elements, start=0, *given, **more):
    return enumerate(tqdm(elements), start)


def tzip(first, *others, **more):
    return zip(tqdm(first), *others)


def tmap(function, *elements, **more):
    return map(function, *elements)
