"""plac: a function's parameters are the command line."""

from meaning import from_options, plain


def call(function, *given, **more):
    return from_options(function)


def __getattr__(name):
    return lambda *given, **more: lambda function: function
