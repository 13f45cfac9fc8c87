import numpy as np
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Tensor = lambda *args: torch.FloatTensor(*args).to(device)


def train(generator, dataloader, optimizer, criterion):
    for imgs, _ in dataloader:
        valid = Variable(Tensor(imgs.shape[0], 1).fill_(1.0), requires_grad=False)
        real = Variable(imgs.to(device=device, dtype=torch.float32))
        z = Variable(Tensor(np.random.normal(0, 1, (imgs.shape[0], 8))))
        optimizer.zero_grad()
        loss = criterion(generator(z), real, valid)
        loss.backward()
        optimizer.step()
