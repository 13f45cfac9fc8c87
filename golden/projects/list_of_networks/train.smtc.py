import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from models import Gen, Dis, loaders


def main():
    run(xm.get_ordinal())


def run(rank):
    n = xm.xrt_world_size()
    device = xm.xla_device()
    net_g, net_d = Gen().to(device), Dis().to(device)
    optim_g = torch.optim.AdamW(net_g.parameters())
    optim_d = torch.optim.AdamW(net_d.parameters())
    xm.collective_broadcast(list(net_g.parameters()) + list(net_g.buffers()))
    xm.mark_step()
    xm.collective_broadcast(list(net_d.parameters()) + list(net_d.buffers()))
    xm.mark_step()
    train_loader, eval_loader = loaders(rank, n)
    for epoch in range(10):
        train(rank, [net_g, net_d], [optim_g, optim_d], [train_loader, eval_loader])


def train(rank, nets, optims, loaders):
    net_g, net_d = nets
    optim_g, optim_d = optims
    device = xm.xla_device()
    train_loader, eval_loader = loaders
    train_loader = pl.MpDeviceLoader(train_loader, device)
    eval_loader = pl.MpDeviceLoader(eval_loader, device)
    for x in train_loader:
        loss_d = net_d(net_g(x).detach()).mean()
        optim_d.zero_grad()
        loss_d.backward()
        xm.optimizer_step(optim_d)
        loss_g = -net_d(net_g(x)).mean()
        optim_g.zero_grad()
        loss_g.backward()
        xm.optimizer_step(optim_g)
    if rank == 0:
        evaluate(net_g, eval_loader)


def evaluate(generator, eval_loader):
    generator.eval()
    with torch.no_grad():
        for x in eval_loader:
            y = generator.infer(x, max_len=1000)
            print(y.shape)
    generator.train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
