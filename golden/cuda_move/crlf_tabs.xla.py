import torch
import torch_xla

device = torch_xla.device()
if True:
	model = torch.nn.Linear(2, 2)  # été
	model.to(device)  # to the GPU
	x = torch.ones(2)\
		.to(device)
