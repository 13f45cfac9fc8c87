"""The seed counts the rank through a function of another file: DDP made the weights equal."""
import torch
import utils


def main(args):
    utils.init_distributed_mode(args)
    seed = args.seed + utils.get_rank()
    torch.manual_seed(seed)
    model = torch.nn.Linear(10, 2)
    model.to("cuda")
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(100):
        optimizer.zero_grad()
        model(torch.randn(8, 10).cuda()).sum().backward()
        optimizer.step()
