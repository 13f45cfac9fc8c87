import torch
import torch_xla

model = torch.nn.Linear(2, 2).to("xla")
model = torch.compile(model, backend="openxla")
