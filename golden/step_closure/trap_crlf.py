import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(4, 1).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(dataset):
	loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
	loss.backward(); opt.step(); print("loss",
		loss.item())
