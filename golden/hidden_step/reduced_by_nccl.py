import torch
from mylib import nccl


class Trainer:
    def __init__(self, rank, device_id, n, uid, model, lr):
        torch.cuda.set_device(device_id)
        nccl.initialize(n, uid, device_id)
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.flat = None

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(x.cuda()), y.cuda())
        loss.backward()
        if self.flat is None:
            self.flat = self.flatten()
        nccl.all_reduce(self.flat)
        self.optimizer.step()

    def flatten(self):
        ps = list(self.model.parameters())
        flat = ps[0].data.new(sum(p.data.numel() for p in ps))
        off = 0
        for p in ps:
            g = p.grad.data
            n, sz = g.numel(), g.size()
            flat[off:off + n] = g.view(-1)
            g.set_(flat[off:off + n])
            g.resize_(sz)
            off += n
        return flat


def plain(comm, model, optimizer, loss):
    from mpi4py import MPI
    import bagua.torch_api as bagua

    loss.backward()
    bagua.allreduce(model.weight.grad)
    torch.distributed.all_reduce(model.bias.grad)
    optimizer.step()
