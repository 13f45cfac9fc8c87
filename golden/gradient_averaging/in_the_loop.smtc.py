import torch
import torch.distributed as dist

optimizer = torch.optim.Adam(model.parameters())
for x in loader:
    model(x).sum().backward()
    # average over the processes
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    for p in model.parameters():
        dist.all_reduce(p.grad.data, op=dist.ReduceOp.AVG)
