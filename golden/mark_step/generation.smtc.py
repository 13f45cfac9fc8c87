import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Writer(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.words = nn.Embedding(words, 8)
        self.head = nn.Linear(8, words)

    def forward(self, tokens):
        return self.head(self.words(tokens))


def generate(model, tokens, count):
    for _ in range(count):
        with torch.no_grad():
            logits = model(tokens)
        following = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, following), dim=1)
        xm.mark_step()
    return tokens


def generate_until(model, tokens, count, end):
    for _ in range(count):
        with torch.no_grad():
            logits = model(tokens)
        following = logits[:, -1].argmax(dim=-1, keepdim=True)
        xm.mark_step()
        if following == end:
            break
        tokens = torch.cat((tokens, following), dim=1)
    return tokens


device = torch.device("cuda")
writer = Writer(16).to(device)
print(generate(writer, torch.zeros(1, 1, dtype=torch.long, device=device), 5))
print(generate_until(writer, torch.zeros(1, 1, dtype=torch.long, device=device), 5, 3))


class Denoiser(nn.Module):
    def __init__(self, network, steps):
        super().__init__()
        self.network = network
        self.scale = nn.Linear(4, 4)
        self.steps = steps

    def denoise(self, x, t):
        return x - self.network(x) / (t + 1)

    @torch.no_grad()
    def sample(self, count):
        x = torch.randn(count, 4, device=device)
        for t in reversed(range(self.steps)):
            x = self.denoise(x, t)
            xm.mark_step()
        return x

    def sample_in_chunks(self, count):
        with torch.no_grad():
            for _ in range(count):
                yield self(torch.randn(2, 4, device=device))
                xm.mark_step()

    def forward(self, x):
        for _ in range(2):
            x = self.scale(x)
        return self.network(x)


denoiser = Denoiser(nn.Linear(4, 4), 5).to(device)
print(denoiser.sample(3), list(denoiser.sample_in_chunks(2)))
