import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in data:
	model(x.cuda(), y.cuda()).backward()
	xm.reduce_gradients(optimizer)
	torch.nn.utils.clip_grad_norm_(
		model.parameters(),  # all
		1.0)
	optimizer.step()
