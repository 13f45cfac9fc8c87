import torch
from torch import nn
import torch_xla.core.xla_model as xm
from tqdm import tqdm


class Diffusion(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.unet = nn.Conv2d(3, 3, 3, padding=1)
        self.steps = steps

    def p_mean(self, y, t):
        return self.unet(y) * t

    @torch.no_grad()
    def p_sample(self, y, t):
        return self.p_mean(y, t) + torch.randn_like(y)

    @torch.no_grad()
    def sample(self, y):
        times = list(reversed(range(self.steps)))
        for t in tqdm(times):
            y = self.p_sample(y, t)
            xm.mark_step()
        indices = list(range(self.steps))[::-1]
        for t in indices:
            y = self.p_sample(y, t)
            xm.mark_step()
        return y

    @torch.no_grad()
    def settle(self, y):
        done = 0
        while done < self.steps:
            y = self.unet(y)
            done += 1
            xm.mark_step()
        return y

    @torch.no_grad()
    def trap_few(self, y):
        for _ in range(3):
            y = self.unet(y)
        return y

    @torch.no_grad()
    def trap_blocks(self, y):
        for block in self.blocks:
            y = block(self.unet(y))
        return y

    def trap_with_gradients(self, y):
        for _ in range(self.steps):
            y = self.unet(y)
        return y


class Sampler:
    def __init__(self, steps):
        self.steps = steps
        self.net = Diffusion(steps).cuda()

    def one(self, y, t):
        return y + self.net.p_sample(y, t) + self.net(y)

    @torch.no_grad()
    def loop(self, y):
        for t in range(self.steps):
            y = self.one(y, t)
            xm.mark_step()
        return y
