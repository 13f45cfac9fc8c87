import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm

from network import Net

model = Net()
device = torch_xla.device()
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    inputs, labels = torch.randn(8, 16), torch.randint(0, 4, (8,))
    inputs, labels = inputs.to(device), labels.to(device)
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), labels).backward()
    xm.optimizer_step(optimizer, barrier=True)
