import torch


def train(model, get_batch):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(1000):
        x, y = get_batch(i)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if i % 100 == 0:
            print(i, loss.item())
