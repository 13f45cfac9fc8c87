"""hydra.utils: objects of classes that settings name."""

from meaning import fresh, plain, unknown


def instantiate(settings, *given, **more):
    return unknown("an object of a class that settings name", *given, *more.values())


call = instantiate


def get_original_cwd():
    return fresh("directory")


def __getattr__(name):
    return plain("hydra.utils." + name)
