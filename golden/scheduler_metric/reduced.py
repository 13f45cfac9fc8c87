import torch
import torch.distributed as dist
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

dist.init_process_group("nccl")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = ReduceLROnPlateau(optimizer)
val_loss = evaluate(net)
dist.all_reduce(val_loss)
scheduler.step(val_loss / 2)
