"""shutil."""

from meaning import event, plain


def rmtree(*given, **more):
    event("alone", "shutil.rmtree")


def move(*given, **more):
    event("alone", "shutil.move")


def __getattr__(name):
    return plain("shutil." + name)
