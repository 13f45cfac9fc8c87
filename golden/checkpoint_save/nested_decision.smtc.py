import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

if dist.get_rank() == 0:
    accuracy = evaluate(net)
    if accuracy > best:
        best = accuracy
        xm.save(net.state_dict(), "best.pt")
