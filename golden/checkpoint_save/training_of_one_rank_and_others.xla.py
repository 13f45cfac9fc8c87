import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def save_checkpoint(net, path):
    copy = torch.nn.Linear(2, 2)
    copy.load_state_dict(net.state_dict())
    if xm.is_master_ordinal(local=False):
        print("saving")
    xm.save(copy.state_dict(), path)


def train(rank, epoch, net, optimizer, loader, writer):
    net.train()
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
        if rank == 0:
            if step % 10 == 0:
                writer.add_scalar("step", step)
                save_checkpoint(net, f"{step}.pt")


def run(rank, world_size, loader, writer):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        if rank == 0:
            train(rank, epoch, net, optimizer, loader, writer)
        else:
            train(rank, epoch, net, optimizer, loader, None)
        save_checkpoint(net, "last.pt")
