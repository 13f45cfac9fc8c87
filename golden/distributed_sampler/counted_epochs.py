import torch
from torch.utils.data import DataLoader


def train(dataset, epochs, make):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    epoch = 0
    while True:
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        epoch = epoch + 1
        if epoch == epochs:
            break
    for round_ in range(epochs):
        if round_ % 2 == 0:
            dataset = make(round_)
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()


def inline(dataset, epochs):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in DataLoader(dataset, batch_size=8, shuffle=True):
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()


def uncounted(dataset, done):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    while not done():
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
