import torch
from accelerate import Accelerator

torch.manual_seed(1)
accelerator = Accelerator()
model.to(accelerator.device)
