import torch


class Switch:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


def borrow(work):
    work()
