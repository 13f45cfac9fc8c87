import torch

if True:
	model = torch.nn.Linear(2, 2)  # été
	model.cuda()  # to the GPU
	x = torch.ones(2)\
		.cuda()
