import torch
import torch_xla.core.xla_model as xm


class Diffusion:
    def __init__(self, steps=1000):
        self.steps = steps
        device = xm.xla_device()
        self.betas = torch.linspace(1e-4, 0.02, steps).to(device)

    def disturb(self, x, t):
        noise = torch.randn_like(x)
        kept = torch.cumprod(1 - self.betas, 0)[t].view(-1, 1)
        return kept.sqrt() * x + (1 - kept).sqrt() * noise, noise

    def loss(self, model, x):
        t = torch.randint(0, self.steps, (x.size(0),), device=x.device)
        disturbed, noise = self.disturb(x, t)
        return (model(disturbed) - noise).pow(2).mean()
