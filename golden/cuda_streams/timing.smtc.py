import time
import torch
import torch_xla.core.xla_model as xm


def benchmark(model, x):
    times = []
    for _ in range(10):
        xm.mark_step()
        xm.wait_device_ops()
        starter = time.perf_counter()
        model(x)
        xm.mark_step()
        xm.wait_device_ops()
        ender = time.perf_counter()
        times.append((ender - starter) * 1000)
    xm.mark_step()
    xm.wait_device_ops()
    seconds = ((ender - starter) * 1000) / 1000
    return times, seconds


class Timer:
    def __init__(self):
        pass

    def __enter__(self):
        xm.mark_step()
        xm.wait_device_ops()
        self.start = time.perf_counter()

    def __exit__(self, *_):
        xm.mark_step()
        xm.wait_device_ops()
        self.end = time.perf_counter()
        print(f"{(self.end - self.start) * 1000:.2f} ms")
