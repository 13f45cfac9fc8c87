import torch
import torch.distributed as dist

if dist.get_rank() == 0:
    accuracy = evaluate(net)
    if accuracy > best:
        best = accuracy
        torch.save(net.state_dict(), "best.pt")
