import torch


class Reader:
    def __init__(self, loader, stream=None):
        stream = stream if stream is not None else torch.cuda.Stream()
        self.loader = loader
        self.stream = stream

    def preload(self, batch):
        self.batch = batch.cuda(non_blocking=True)

    def next(self):
        return self.batch
