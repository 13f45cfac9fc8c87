import torch.nn.functional as F


def train_epoch(device, loader, model, optimizer, average):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        for name, value in model.module.state_dict().items():
            average[name] = 0.9 * average[name] + 0.1 * value
