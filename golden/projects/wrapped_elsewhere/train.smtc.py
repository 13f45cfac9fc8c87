"""The network is wrapped in one file, trained in another and kept in a third, behind a dict."""
import sys

import kept
import networks
import torch
import torch_xla.core.xla_model as xm


def improve(state, batch):
    state["optimizer"].zero_grad()
    loss = state["network"](batch).pow(2).mean()
    loss.backward()
    xm.optimizer_step(state["optimizer"])
    return loss


def train(steps, folder):
    torch.manual_seed(3)
    xm.set_rng_state(3)
    device = xm.xla_device()
    network = networks.made("small", device)
    state = {"network": network, "optimizer": torch.optim.Adam(network.parameters()), "step": 0}
    state = kept.restored(folder, state)
    if xm.get_ordinal() > 0:
        torch.manual_seed(torch.initial_seed() + xm.get_ordinal())
        xm.set_rng_state(torch.initial_seed())
    for _ in range(steps):
        improve(state, torch.rand(8, 4).to(device))
        xm.mark_step()
        state["step"] += 1
    kept.keep(folder, state)


def main():
    train(6, sys.argv[1] if len(sys.argv) > 1 else ".")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
