"""shutil."""

from meaning import event, plain, written


def rmtree(*given, **more):
    event("alone", "shutil.rmtree")


def move(*given, **more):
    event("alone", "shutil.move")


def copyfile(source, target, *given, **more):
    written(target, False, False)
    return target


copy = copy2 = copyfile


def __getattr__(name):
    return plain("shutil." + name)
