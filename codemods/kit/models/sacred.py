"""sacred: an experiment runs its main function; what it captures gets its settings by name."""

from meaning import from_options, fresh, plain


class Experiment:
    def __init__(self, *given, **more):
        self._main = None

    def config(self, function):
        return function

    named_config = capture = pre_run_hook = post_run_hook = command = config_hook = config

    def main(self, function):
        self._main = function
        return function

    def automain(self, function):
        from_options(function)
        return function

    def run(self, *given, **more):
        if self._main is not None:
            from_options(self._main)
        return fresh("run")

    run_commandline = run

    def __getattr__(self, name):
        return plain("sacred.Experiment." + name)


Ingredient = Experiment


def __getattr__(name):
    return plain("sacred." + name)
