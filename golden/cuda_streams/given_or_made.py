import torch


class Reader:
    def __init__(self, loader, stream=None):
        stream = stream if stream is not None else torch.cuda.Stream()
        self.loader = loader
        self.stream = stream

    def preload(self, batch):
        with torch.cuda.stream(self.stream):
            self.batch = batch.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        return self.batch
