import torch
import torch.distributed as dist

optimizer = torch.optim.Adam(model.parameters())
for x in loader:
    model(x).sum().backward()
    # average over the processes
    for name, p in model.named_parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad, dist.ReduceOp.SUM)
            p.grad = p.grad / dist.get_world_size()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    for p in model.parameters():
        dist.all_reduce(p.grad.data, op=dist.ReduceOp.AVG)
