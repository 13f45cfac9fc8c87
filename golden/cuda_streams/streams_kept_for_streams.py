import torch


class Switch:
    def __init__(self, stream):
        self.stream = stream
        self.before = torch.cuda.default_stream()
        self.there = torch.cuda.default_stream()

    def __enter__(self):
        self.before = torch.cuda.current_stream()
        torch.cuda.set_stream(self.there)

    def __exit__(self, *error):
        self.there.wait_stream(self.before)


def borrow(work):
    parent = torch.cuda.current_stream()
    event = torch.cuda.Event()
    event.record(parent)
    side = torch.cuda.Stream()
    event.wait(side)
    torch.cuda.set_stream(side)
    work()
    torch.cuda.set_stream(parent)
