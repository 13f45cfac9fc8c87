"""random: numbers of the host, other ones each time."""

from meaning import event, fresh, plain


def seed(*given):
    event("seed", "random")


def random():
    return fresh("a random number", "varying", "random")


def _number(*given, **more):
    return fresh("a random number", "varying", "random")


randint = uniform = gauss = randrange = normalvariate = betavariate = _number


def choice(elements):
    return elements[fresh("a random number", "varying", "random")]


def __getattr__(name):
    return plain("random." + name)
