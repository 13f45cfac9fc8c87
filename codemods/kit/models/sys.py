"""sys."""

from meaning import end, plain, symbol

argv = symbol("the command line")
path = []
version_info = (3, 9)
maxsize = 9223372036854775807
platform = "linux"


def exit(*given):
    end()


def __getattr__(name):
    return plain("sys." + name)
