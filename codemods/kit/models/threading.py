"""threading."""

from meaning import plain


class Thread:
    def __init__(self, target=None, args=(), kwargs=None, **more):
        self._target = target
        self._args = args

    def start(self):
        if self._target is not None:
            self._target(*self._args)
        else:
            self.run()

    def run(self):
        return None

    def join(self, *given):
        return None


def __getattr__(name):
    return plain("threading." + name)
