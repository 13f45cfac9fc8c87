"""Averaged by the script itself: averaging what is equal already changes nothing, and that code may go."""
import torch
import torch.distributed as dist


def average_gradients(model):
    size = float(dist.get_world_size())
    for param in model.parameters():
        dist.all_reduce(param.grad.data, op=dist.ReduceOp.SUM)
        param.grad.data /= size


def run(rank, size, model, batches):
    dist.init_process_group("nccl", rank=rank, world_size=size)
    model.cuda(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    for data, target in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.nll_loss(model(data.cuda(rank)), target.cuda(rank))
        loss.backward()
        average_gradients(model)
        optimizer.step()
