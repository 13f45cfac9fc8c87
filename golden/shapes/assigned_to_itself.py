import torch

model = torch.nn.Linear(4, 2)
model = model  # noqa: a comparison of two versions once stood here
model = model
model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
    optimizer.step()
