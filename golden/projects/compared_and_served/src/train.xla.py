import os

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm

from network import Net


def main():
    device = torch_xla.device()
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        inputs, labels = torch.randn(8, 16).to(device), torch.randint(0, 4, (8,)).to(device)
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.save(model.state_dict(), os.path.join(os.environ.get("SM_MODEL_DIR", "."), "model.pt"))


if __name__ == "__main__":
    main()
