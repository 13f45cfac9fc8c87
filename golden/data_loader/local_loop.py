import torch
import torch.nn as nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=256)
model = nn.Linear(784, 10).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(5):
    for i, (images, labels) in enumerate(train_loader):
        images = images.view(-1, 784).to(device)
        labels = labels.to(device, non_blocking=True)  # keep up with the images
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            print(f"{epoch} [{i}/{len(train_loader)}]")

with torch.no_grad():
    correct = 0
    for images, labels in test_loader:
        outputs = model(images.view(-1, 784).to(device))
        correct += (outputs.argmax(1) == labels.to(device)).sum().item()
