import torch

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in data:
    model(x.cuda()).sum().backward()
    optimizer.step()
