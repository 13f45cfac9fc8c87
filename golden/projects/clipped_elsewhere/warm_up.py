"""The gradients are clipped here; the optimizer that state.py steps with has no name here."""
import torch

import state


def warm_up(steps):
    torch.distributed.init_process_group("nccl", init_method="env://")
    net = state.net.cuda()
    for _ in range(steps):
        x = torch.randn(8, 4).cuda()
        loss = net(x).pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        state.apply()
