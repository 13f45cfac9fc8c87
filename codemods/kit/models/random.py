"""random: numbers of the host, other ones each time, and in each process unless all begin with one seed."""

from meaning import chosen, number_drawn, plain, random_generator, sampled, seeded, shuffled


def seed(number=None, *given, **more):
    seeded(number, "random")


def random():
    return number_drawn("random", values=True)


def _number(*given, **more):
    return number_drawn("random", *given, values=True)


def _whole(*given, **more):
    return number_drawn("random", *given)


uniform = gauss = normalvariate = betavariate = _number
randint = randrange = _whole


def choice(elements):
    return chosen("random", elements)


def choices(population, *given, **more):
    return sampled("random", population)


def sample(population, *given, **more):
    return sampled("random", population)


def shuffle(elements):
    shuffled("random", elements)


def Random(seed=None):
    return random_generator("random", seed)


def __getattr__(name):
    return plain("random." + name)
