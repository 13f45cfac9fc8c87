import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Base:
    def __init__(self, opt, net, optimizer):
        self.opt = opt
        self.net, self.optimizer = net, optimizer
        self.rank, self.distributed = opt["global_rank"], opt["distributed"]

    def save_network(self, epoch):
        if self.opt['global_rank'] !=0:
            return
        path = os.path.join(self.opt["path"], f"{epoch}.pth")
        state = self.net.state_dict()
        torch.save(state, path)
        print("wrote", path)

    def save_optimizer(self, epoch):
        if self.rank: return
        torch.save({"epoch": epoch, "state": self.optimizer.state_dict()}, "last.state")

    def save_now_and_then(self, epoch):
        if self.distributed and self.rank > 0 or epoch % 5:
            return
        torch.save(self.net.state_dict(), "five.pth")
        torch.save(self.optimizer.state_dict(), "five.state")

    def save_each(self, nets):
        for name, net in nets.items():
            if getattr(self.opt, "rank", 0) >= 1:
                continue
            torch.save(net.state_dict(), name)
            print(name)

    def tell_and_save(self):
        if not self.opt["is_main"]:
            print("not here")
            return
        torch.save(self.net.state_dict(), "told.pth")


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
        if gpu > 0:
            continue
        torch.save(net.state_dict(), "net.pth")
        print(epoch)
        base.save_network(epoch)


if __name__ == "__main__":
    mp.spawn(worker, nprocs=8, args=({"world_size": 8, "path": "."},))
