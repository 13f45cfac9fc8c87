import torch

from data import get_loaders
from models import get_network

net = get_network("resnet18").cuda()
train_loader, test_loader = get_loaders(128)
loss_function = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train(epoch):
    net.train()
    for images, labels in train_loader:
        labels = labels.cuda()
        images = images.cuda()
        optimizer.zero_grad()
        loss_function(net(images), labels).backward()
        optimizer.step()


@torch.no_grad()
def evaluate():
    net.eval()
    correct = 0
    for images, labels in test_loader:
        images, labels = images.cuda(), labels.cuda()
        correct += net(images).argmax(1).eq(labels).sum()
    print(correct.float() / len(test_loader.dataset))


for epoch in range(200):
    train(epoch)
    evaluate()
