"""Shape 28: BOM, CRLF, tabs and comments in other alphabets."""
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
# модель
model = torch.nn.Linear(4, 2).to(device)	# GPU только
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
	for step in range(3):
		x = torch.randn(8, 4)
		x = x.to(device)	# バッチ
		loss = model(x).pow(2).mean()
		optimizer.zero_grad(); loss.backward(); xm.optimizer_step(optimizer, barrier=True)


train()