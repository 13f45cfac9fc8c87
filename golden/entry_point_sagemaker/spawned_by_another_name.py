import torch_xla.distributed.xla_multiprocessing as xmp


def map_fn(index):
    print(index)


def main():
    xmp.spawn(map_fn, args=(), nprocs=8)


if __name__ == "__main__":
    main()
