import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 1).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def log_step(loss):
	print("loss",
		loss.item())


for x, y in DataLoader(dataset):
	loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
	loss.backward(); opt.step(); xm.add_step_closure(log_step, args=(loss.detach(),))
