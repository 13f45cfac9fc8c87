"""Convolutions with batch normalization; evaluates after each epoch."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1),
    nn.BatchNorm2d(4),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2),
    nn.Conv2d(4, 8, 3),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 5),
).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
data = torch.utils.data.TensorDataset(torch.randn(24, 1, 8, 8), torch.randint(0, 5, (24,)))
train = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=6), device)
test = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=8), device)
for epoch in range(3):
    model.train()
    for inputs, labels in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        xm.optimizer_step(optimizer)
    model.eval()
    correct = 0
    with torch.no_grad():
        for inputs, labels in test:
            predictions = model(inputs).argmax(dim=1, keepdim=True)
            correct += predictions.eq(labels.view_as(predictions)).sum().item()
    scheduler.step()
    print(epoch, correct / len(data))
