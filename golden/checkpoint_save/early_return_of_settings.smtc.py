import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.core.xla_model as xm


class Base:
    def __init__(self, opt, net, optimizer):
        self.opt = opt
        self.net, self.optimizer = net, optimizer
        self.rank, self.distributed = opt["global_rank"], opt["distributed"]

    def save_network(self, epoch):
        path = os.path.join(self.opt["path"], f"{epoch}.pth")
        state = self.net.state_dict()
        xm.save(state, path)
        if xm.is_master_ordinal(local=False):
            print("wrote", path)

    def save_optimizer(self, epoch):
        xm.save({"epoch": epoch, "state": self.optimizer.state_dict()}, "last.state")

    def save_now_and_then(self, epoch):
        if epoch % 5:
            return
        xm.save(self.net.state_dict(), "five.pth")
        xm.save(self.optimizer.state_dict(), "five.state")

    def save_each(self, nets):
        for name, net in nets.items():
            xm.save(net.state_dict(), name)
            if xm.is_master_ordinal(local=False):
                print(name)

    def tell_and_save(self):
        if not self.opt["is_main"]:
            print("not here")
            return
        xm.save(self.net.state_dict(), "told.pth")


def worker(gpu, opt):
    opt["global_rank"] = gpu
    dist.init_process_group("nccl", rank=gpu, world_size=opt["world_size"])
    net = torch.nn.Linear(4, 2).cuda(gpu)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    base = Base(opt, net, optimizer)
    for epoch in range(9):
        for x in batches:
            optimizer.zero_grad()
            net(x.cuda(gpu)).sum().backward()
            optimizer.step()
        xm.save(net.state_dict(), "net.pth")
        if xm.is_master_ordinal(local=False):
            print(epoch)
        base.save_network(epoch)


if __name__ == "__main__":
    mp.spawn(worker, nprocs=8, args=({"world_size": 8, "path": "."},))
