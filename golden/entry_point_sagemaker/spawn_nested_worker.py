import torch.multiprocessing as mp


def run(opt):
    def worker(gpu):
        print(gpu, opt)

    mp.spawn(worker, nprocs=2)
