import json
import os

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from data import by_hand, make_loader, of_arguments


def worker(gpu, ngpus, opt):
    if "local_rank" not in opt:
        opt["local_rank"] = opt["global_rank"] = gpu
    torch.distributed.init_process_group(
        "nccl", init_method=opt["init_method"], world_size=opt["world_size"], rank=opt["global_rank"]
    )
    torch.cuda.set_device(gpu)
    torch.manual_seed(0)
    model = DDP(torch.nn.Linear(8, 2).cuda(), device_ids=[gpu])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for loader in (make_loader(opt), by_hand(opt["gpu_ids"], gpu), of_arguments(opt["shards"], gpu)):
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    with open("config.json") as file:
        opt = json.load(file)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(one) for one in opt["gpu_ids"])
    ngpus = len(opt["gpu_ids"])
    opt["world_size"] = ngpus
    opt["init_method"] = "tcp://127.0.0.1:21012"
    mp.spawn(worker, nprocs=ngpus, args=(ngpus, opt))
