import torch
import torch.nn.functional as F

from network import Net

model = Net()
if torch.cuda.is_available():
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    inputs, labels = torch.randn(8, 16), torch.randint(0, 4, (8,))
    if torch.cuda.is_available():
        inputs, labels = inputs.cuda(), labels.cuda()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), labels).backward()
    optimizer.step()
