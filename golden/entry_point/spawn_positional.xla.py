import torch
import torch_xla


def worker(gpu, opt):
    print(gpu, opt)


def run(opt):
    # one process a GPU
    torch_xla.launch(worker, args=(opt,))


if __name__ == "__main__":
    run(parse())
