import matplotlib.pyplot as plt
import torch
import torch.distributed as dist

model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
if dist.get_rank() == 0:
    plt.savefig("curve.png")
plt.savefig(f"curve_{dist.get_rank()}.png")
