import torch


def make(parameters, adaptive):
    kind = torch.optim.Adam if adaptive else torch.optim.SGD
    return kind(parameters, lr=0.1)


optimizer = make(net.parameters(), True)
scaler = torch.cuda.amp.GradScaler()
scaler.step(optimizer)
