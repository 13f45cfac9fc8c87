import apex
import torch
import torch.distributed as dist

torch.cuda.some_new_call()
apex.contrib.something(torch.zeros(2))
dist.send_object(1)
dist.init_process_group("nccl")
if hasattr(torch.cuda, "amp"):
    x = torch.zeros(2).to("cuda:1")
y = torch.ones(2, device="cuda").cuda()
torch.backends.cudnn.benchmark = torch.backends.cudnn.enabled
print(torch.accelerator.device_index(0))
