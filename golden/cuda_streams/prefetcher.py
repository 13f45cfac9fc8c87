import torch


class DataPrefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.preload()

    def preload(self):
        try:
            self.input, self.target = next(self.loader)
        except StopIteration:
            self.input = self.target = None
            return
        with torch.cuda.stream(self.stream):
            self.input = self.input.cuda(non_blocking=True)
            self.target = self.target.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        input, target = self.input, self.target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())
        self.preload()
        return input, target
