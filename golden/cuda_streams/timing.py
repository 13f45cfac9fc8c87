import torch


def benchmark(model, x):
    starter, ender = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(10):
        starter.record()
        model(x)
        ender.record()
        ender.synchronize()
        times.append(starter.elapsed_time(ender))
    torch.cuda.current_stream().synchronize()
    seconds = starter.elapsed_time(ender) / 1000
    return times, seconds


class Timer:
    def __init__(self):
        self.start = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def __enter__(self):
        self.start.record()

    def __exit__(self, *_):
        self.end.record()
        print(f"{self.start.elapsed_time(self.end):.2f} ms")
