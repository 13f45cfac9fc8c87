import torch
from torch.autograd import Variable

train_loader = torch.utils.data.DataLoader(train_set, batch_size=64, shuffle=True)
model = torch.nn.Linear(784, 10)
if args.cuda:
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        if args.cuda:
            data, target = data.cuda(), target.cuda()
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        loss = torch.nn.functional.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        print(epoch, batch_idx * len(data), len(train_loader.dataset))


for epoch in range(10):
    train(epoch)
