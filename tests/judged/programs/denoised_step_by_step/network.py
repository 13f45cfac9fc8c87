import math

import torch
import torch.nn as nn
from tqdm import tqdm


class Network(nn.Module):
    def __init__(self, unet, steps=1000):
        super().__init__()
        self.denoise_fn = nn.Sequential(nn.Linear(unet, 64), nn.SiLU(), nn.Linear(64, unet))
        self.num_timesteps = steps

    def p_mean(self, y, t):
        return self.denoise_fn(y) * t.view(-1, 1)

    @torch.no_grad()
    def p_sample(self, y, t):
        noise = torch.randn_like(y) if any(t > 0) else torch.zeros_like(y)
        return self.p_mean(y, t) + noise

    @torch.no_grad()
    def restoration(self, y):
        kept = y
        for i in tqdm(reversed(range(0, self.num_timesteps)), desc="sampling"):
            t = torch.full((len(y),), i, device=y.device, dtype=torch.long)
            y = self.p_sample(y, t)
            if i % 100 == 0:
                kept = torch.cat([kept, y])
        return y, kept

    @torch.no_grad()
    def settle(self, y):
        moved = 1.0
        steps = 0
        while steps < self.num_timesteps:
            y = self.denoise_fn(y)
            steps += 1
        return y

    def forward(self, x):
        h = x
        for _ in range(3):
            h = self.denoise_fn(h)
        return ((h - x) ** 2).mean()


class Cascade(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.blocks = nn.ModuleList([first, second])

    @torch.no_grad()
    def features(self, x):
        for block in self.blocks:
            x = block(x)
        return x
