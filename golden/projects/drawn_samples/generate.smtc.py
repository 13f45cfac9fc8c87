import numpy as np
import torch
from torch import nn
import torch_xla.core.xla_model as xm

from diffusion import sample


def main():
    device = xm.xla_device()
    model = nn.Linear(4, 4).to(device).eval()
    kept = []
    with torch.no_grad():
        for _ in range(8):
            images = sample(model, (16, 4), device)
            parts = list(xm.all_gather(images.unsqueeze(0), dim=0).unbind(0))
            kept.extend(part.cpu().numpy() for part in parts)
    if xm.get_ordinal() == 0:
        np.save("samples.npy", np.concatenate(kept))
    xm.rendezvous("main")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
