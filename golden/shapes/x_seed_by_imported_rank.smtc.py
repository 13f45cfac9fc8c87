"""The seed counts the rank through a function of another file: DDP made the weights equal."""
import torch
import torch_xla.core.xla_model as xm
import utils


def main(args):
    utils.init_distributed_mode(args)
    seed = args.seed + utils.get_rank()
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))
    model = torch.nn.Linear(10, 2)
    device = xm.xla_device()
    model.to(device)
    if args.distributed:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(100):
        optimizer.zero_grad()
        model(torch.randn(8, 10).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)
