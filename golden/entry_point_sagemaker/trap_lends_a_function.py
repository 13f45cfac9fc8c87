import torch_xla.distributed.xla_multiprocessing as xmp


def work(index, flags):
    print(index, flags)


def start(flags):
    xmp.spawn(work, args=(flags,))
