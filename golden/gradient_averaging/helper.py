import torch
import torch.distributed as dist


def average_gradients(model):
    """ Gradient averaging. """
    size = float(dist.get_world_size())
    for param in model.parameters():
        dist.all_reduce(param.grad.data, op=dist.ReduceOp.SUM)
        param.grad.data /= size


def run(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.nll_loss(model(x), y)
        loss.backward()
        average_gradients(model)
        optimizer.step()
