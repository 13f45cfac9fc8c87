"""The network is wrapped in one file, trained in another and kept in a third, behind a dict."""
import sys

import kept
import networks
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def improve(state, batch):
    state["optimizer"].zero_grad()
    loss = state["network"](batch).pow(2).mean()
    loss.backward()
    xm.optimizer_step(state["optimizer"])
    return loss


def train(steps, folder):
    torch.manual_seed(3)
    torch_xla.manual_seed(3)
    device = torch_xla.device()
    network = networks.made("small", device)
    state = {"network": network, "optimizer": torch.optim.Adam(network.parameters()), "step": 0}
    state = kept.restored(folder, state)
    if xr.global_ordinal() > 0:
        torch.manual_seed(torch.initial_seed() + xr.global_ordinal())
        torch_xla.manual_seed(torch.initial_seed())
    for _ in range(steps):
        improve(state, torch.rand(8, 4).to(device))
        torch_xla.sync()
        state["step"] += 1
    kept.keep(folder, state)


def main():
    train(6, sys.argv[1] if len(sys.argv) > 1 else ".")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
