import torch
import torch_xla.core.xla_model as xm

device = torch.device("cuda")
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def draw(size):
    return torch.randn(size, 4, device=device), torch.randn(size, 1, device=device)


def train():
    total = 0
    for size in (8, 1, 8):
        x, y = draw(size)
        if x.shape[0] == 1:
            pass
        else:
            loss = (model(x) - y).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            xm.mark_step()
            total += loss.item()
    return total


def train_either(autotune):
    alpha = 1.0
    for _ in range(3):
        x, y = draw(8)
        loss = (model(x) - y).pow(2).mean() * alpha
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if autotune:
            again = model(x).pow(2).mean()
            again.backward()
            optimizer.step()
            xm.mark_step()
            alpha = again.item()
        xm.mark_step()
    return alpha


train()
train_either(True)
