import torch_xla.core.xla_model as xm


def run(opt):
    def worker(gpu):
        print(gpu, opt)

    worker(xm.get_local_ordinal())
