import cupy
import mylib.cuda as cuda


def main(device_count):
    cuda.synchronize()
    cuda.empty_cache()
    cupy.cuda.Device(0).synchronize()
    return device_count
