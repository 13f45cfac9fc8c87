import torch


class DataPrefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.preload()

    def preload(self):
        try:
            self.input, self.target = next(self.loader)
        except StopIteration:
            self.input = self.target = None
            return
        self.input = self.input.cuda(non_blocking=True)
        self.target = self.target.cuda(non_blocking=True)

    def next(self):
        input, target = self.input, self.target
        self.preload()
        return input, target
