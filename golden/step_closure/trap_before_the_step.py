"""Printed before the step, in a loop whose step has a barrier: the closure runs at that barrier."""
import torch


def train(model, get_batch):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(1000):
        loss = model(get_batch(i).cuda()).mean()
        print(i, loss.item())
        loss.backward()
        optimizer.step()
