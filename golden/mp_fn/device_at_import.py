import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp

SIZE = 8
device = xm.xla_device()
if xm.xrt_world_size() > 1:
    SIZE = SIZE // xm.xrt_world_size()


def _mp_fn(rank):
    """Trains."""
    print(rank, SIZE, device)


if __name__ == "__main__":
    xmp.spawn(_mp_fn, args=())
