import torch
import torch.nn as nn


class Momentum(nn.Module):
    def __init__(self, dim=8, size=64):
        super().__init__()
        self.size = size
        self.encoder = nn.Linear(4, dim)
        self.register_buffer("queue", torch.randn(dim, size))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))
        self.queue[:, 0:2] = 0

    @torch.no_grad()
    def _enqueue(self, keys):
        batch_size = keys.shape[0]
        ptr = int(self.queue_ptr)
        self.queue[:, ptr : ptr + batch_size] = keys.T
        ptr = (ptr + batch_size) % self.size
        self.queue_ptr[0] = ptr

    def forward(self, x):
        keys = self.encoder(x.cuda())
        self._enqueue(keys)
        keys[:, 0:2] = 0
        return keys @ self.queue.clone()


def fill(loader, model, n):
    start = 0
    memory = torch.zeros(n, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        out = model(x)
        out.sum().backward()
        optimizer.step()
        memory[start : start + len(x)] = out.detach()
        start += len(x)
    return memory
