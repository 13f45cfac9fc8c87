import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2).cuda()
        self.register_buffer("one", torch.ones(1).cuda())

    def forward(self, x):
        noise = torch.randn(x.shape).cuda(x.device)
        return self.fc(x) + noise


def move(batch, gpu=0):
    x = [t.cuda(gpu, non_blocking=True) for t in batch]
    y = {k: v.cuda() if v.numel() else None for k, v in enumerate(batch)}
    z = map(lambda t: t.cuda(None, True), batch)
    w = list(map(torch.Tensor.cuda, batch))
    v = torch.stack(x).cuda().t().float()
    u = torch.ones(2).cuda(
        non_blocking=True,  # overlaps
    )
    return x, y, z, w, v, u


def nested(model, use_cuda):
    def to_gpu(x):
        return x.cuda() if use_cuda else x

    if use_cuda: model.cuda(); print("on the GPU")
    model.cuda().eval()
    return to_gpu(torch.ones(2))
