import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Replicated(nn.DataParallel):
    def gather(self, outputs, output_device):
        return {name: torch.stack([one[name] for one in outputs]) for name in outputs[0]}


def main(loader, parts):
    whole = nn.DataParallel(nn.Linear(4, 4)).cuda()
    xm.collective_broadcast(list(whole.parameters()) + list(whole.buffers()))
    xm.mark_step()
    net = Replicated(nn.Linear(4, 2))
    net = net.cuda()
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD([*whole.parameters(), *net.parameters()], lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = net(whole(x.cuda()))["loss"].mean()
        loss.backward()
        optimizer.step()
