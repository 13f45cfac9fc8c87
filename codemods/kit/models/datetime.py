"""datetime: the time at which a process asks for it; all else is a plain value."""

from meaning import fresh, plain


class _Kind:
    def now(self, *given, **more):
        return fresh("time", "clock")

    utcnow = today = now

    def __call__(self, *given, **more):
        return fresh("time")

    def __getattr__(self, name):
        return plain("datetime.datetime." + name)


datetime = date = _Kind()


def __getattr__(name):
    return plain("datetime." + name)
