"""shutil."""

from meaning import event, plain, written


def rmtree(*given, **more):
    event("alone", "shutil.rmtree")


def move(*given, **more):
    event("alone", "shutil.move")


def copytree(source, target, *given, dirs_exist_ok=False, **more):
    event("made" if dirs_exist_ok else "alone", "shutil.copytree")
    return target


def copyfile(source, target, *given, **more):
    written(target, False, False)
    return target


copy = copy2 = copyfile


def __getattr__(name):
    return plain("shutil." + name)
