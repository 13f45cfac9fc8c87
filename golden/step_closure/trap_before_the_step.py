"""Printed before the step, in a loop with a barrier: after the barrier it costs nothing."""
import torch


def train(model, get_batch):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(1000):
        loss = model(get_batch(i).cuda()).mean()
        print(i, loss.item())
        loss.backward()
        optimizer.step()
