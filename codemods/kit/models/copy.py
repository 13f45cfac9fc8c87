"""copy: copies of values and of all that is in them."""

from meaning import copied


def deepcopy(value, *given):
    return copied(value)


def copy(value):
    return copied(value, False)
