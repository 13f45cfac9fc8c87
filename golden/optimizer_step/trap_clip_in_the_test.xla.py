import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.grad is not None:
                p.grad = p.grad.clone()  # else clipping loses the average
    xm.reduce_gradients(optimizer)
    if torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0) < 100:
        optimizer.step()
    else:
        print("skipped")
