"""tensorboardX: a log that training does not see."""

from meaning import harmless


class SummaryWriter:
    def __init__(self, *given, **more):
        return None

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None

    def __getattr__(self, name):
        return harmless("SummaryWriter." + name)
