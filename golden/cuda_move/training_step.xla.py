import torch
import torch.nn as nn
from torch.autograd import Variable
from torch.utils.data import DataLoader
import torch_xla

from data import build_dataset
from models import Net

model = Net()
device = torch_xla.device()
model.to(device)
criterion = nn.CrossEntropyLoss().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(build_dataset(), batch_size=4)


def train(epoch):
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device, non_blocking=True)
        loss = criterion(model(Variable(images)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for epoch in range(2):
    train(epoch)
