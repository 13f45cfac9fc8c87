"""numpy.random: numbers of the host, other ones in each process unless all begin with one seed."""

from meaning import chosen, number_drawn, permuted, plain, random_generator, seeded, shuffled


def seed(number=None):
    seeded(number, "numpy")


def _values(*given, **more):
    return number_drawn("numpy", *given, values=True)


rand = randn = random = random_sample = ranf = sample = normal = standard_normal = uniform = beta = gamma = _values
exponential = poisson = laplace = dirichlet = multivariate_normal = _values


def randint(low, high=None, size=None, *given, **more):
    return number_drawn("numpy", low, high) if size is None else permuted("numpy")


def choice(population, size=None, *given, **more):
    return chosen("numpy", population) if size is None else permuted("numpy")


def permutation(population):
    return permuted("numpy")


def shuffle(elements):
    shuffled("numpy", elements)


def default_rng(seed=None):
    return random_generator("numpy", seed)


RandomState = Generator = default_rng


def __getattr__(name):
    return plain("numpy.random." + name)
