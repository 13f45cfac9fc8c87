"""Shape 28: BOM, CRLF, tabs and comments in other alphabets."""
import torch

# модель
model = torch.nn.Linear(4, 2).cuda()	# GPU только
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
	for step in range(3):
		x = torch.randn(8, 4)
		x = x.cuda()	# バッチ
		loss = model(x).pow(2).mean()
		optimizer.zero_grad(); loss.backward(); optimizer.step()


train()