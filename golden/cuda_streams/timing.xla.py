import time
import torch
import torch_xla


def benchmark(model, x):
    times = []
    for _ in range(10):
        torch_xla.sync(wait=True)
        starter = time.perf_counter()
        model(x)
        torch_xla.sync(wait=True)
        ender = time.perf_counter()
        times.append((ender - starter) * 1000)
    torch_xla.sync(wait=True)
    seconds = ((ender - starter) * 1000) / 1000
    return times, seconds


class Timer:
    def __init__(self):
        pass

    def __enter__(self):
        torch_xla.sync(wait=True)
        self.start = time.perf_counter()

    def __exit__(self, *_):
        torch_xla.sync(wait=True)
        self.end = time.perf_counter()
        print(f"{(self.end - self.start) * 1000:.2f} ms")
