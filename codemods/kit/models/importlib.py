"""importlib: a module by a name that the program makes up."""

from meaning import module_named, plain


def import_module(name, package=None):
    return module_named(name)


def __getattr__(name):
    return plain("importlib." + name)
