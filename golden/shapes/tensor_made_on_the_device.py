import torch
import torch.distributed as dist

dist.init_process_group("nccl")
w = torch.zeros(4, requires_grad=True, device="cuda")
for i in range(100):
    loss = (w * torch.randn(4).cuda()).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
