import math

import torch


def train(model, get_batch):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(1000):
        batch = get_batch(i)
        if batch is None:
            continue
        loss = model(batch.cuda())
        if torch.isnan(loss):
            print("skipped", i)
            continue
        loss.backward()
        if i % 4 != 3:
            continue
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
