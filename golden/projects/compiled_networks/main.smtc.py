import os

import torch
from torch import nn
import torch_xla.core.xla_model as xm

from kept import compiled_for_xla
from store import load_pretrained, resume, weights_of

CONFIG = {"compiled": True, "pretrained": "pretrained.pt"}


def main():
    device = xm.xla_device()
    generator = nn.Linear(4, 4).to(device)
    critic = nn.Linear(4, 1).to(device)
    if os.path.exists(CONFIG["pretrained"]):
        load_pretrained(critic, CONFIG["pretrained"])
    if os.path.exists("last.pt"):
        resume(generator, "last.pt")
        state_dict = torch.load("critic.pt", map_location="cpu")
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "_orig_mod.")
        critic.load_state_dict(state_dict)
    teacher = compiled_for_xla(nn.Linear(4, 1).to(device), "teacher.pt")
    optimizer = torch.optim.SGD(list(generator.parameters()) + list(critic.parameters()), lr=0.1)
    for step in range(10):
        x = torch.randn(8, 4, device=device)
        optimizer.zero_grad()
        loss = (critic(generator(x)) - teacher(x).detach()).mean()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.save({"model": generator.state_dict(), "step": step}, "last.pt")
    xm.save(critic.state_dict(), "critic.pt")
    xm.save(weights_of(critic), CONFIG["pretrained"])


if __name__ == "__main__":
    main()
