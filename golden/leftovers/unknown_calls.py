import torch
import torch.nn as nn

model = nn.Linear(2, 2)
torch.cuda.some_new_call(); torch.cuda.other_call(1)
if hasattr(torch.cuda, "amp"):
    print("new", torch.cuda.amp.some_type)
table = {"sync": torch.cuda, "device": torch.accelerator}
