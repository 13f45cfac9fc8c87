import torch
import torch_xla.core.xla_model as xm


def worker(gpu, opt):
    print(gpu, opt)


def run(opt):
    # one process a GPU
    worker(xm.get_local_ordinal(), opt)


def main():
    run(parse())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
