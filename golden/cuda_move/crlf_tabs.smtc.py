import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
if True:
	model = torch.nn.Linear(2, 2)  # été
	model.to(device)  # to the GPU
	x = torch.ones(2)\
		.to(device)
