"""Finds the noise for an image: one process, whatever the loss does inside."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

from perceptual import Perceptual


def project(target, steps):
    image = torch.zeros_like(target, requires_grad=True)
    optimizer = torch.optim.Adam([image], lr=0.1)
    loss_of = Perceptual(device_ids=[0])
    for _ in range(steps):
        loss = loss_of(image, target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
    return image


if __name__ == "__main__":
    device = torch_xla.device()
    print(project(torch.randn(1, 3, 8, 8).to(device), 10).mean())
