import os

import torch
from torch import nn

from kept import compiled_for_xla
from store import load_pretrained, resume, weights_of

CONFIG = {"compiled": True, "pretrained": "pretrained.pt"}


def main():
    device = torch.device("cuda", 0)
    generator = nn.Linear(4, 4).to(device)
    critic = nn.Linear(4, 1).to(device)
    if os.path.exists(CONFIG["pretrained"]):
        load_pretrained(critic, CONFIG["pretrained"])
    if CONFIG["compiled"]:
        generator = torch.compile(generator)
        critic = torch.compile(critic)
    if os.path.exists("last.pt"):
        resume(generator, "last.pt")
        critic.load_state_dict(torch.load("critic.pt"))
    teacher = compiled_for_xla(nn.Linear(4, 1).to(device), "teacher.pt")
    optimizer = torch.optim.SGD(list(generator.parameters()) + list(critic.parameters()), lr=0.1)
    for step in range(10):
        x = torch.randn(8, 4, device=device)
        optimizer.zero_grad()
        loss = (critic(generator(x)) - teacher(x).detach()).mean()
        loss.backward()
        optimizer.step()
    torch.save({"model": generator.state_dict(), "step": step}, "last.pt")
    torch.save(critic.state_dict(), "critic.pt")
    torch.save(weights_of(critic), CONFIG["pretrained"])


if __name__ == "__main__":
    main()
