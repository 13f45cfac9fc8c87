import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm

import models


def main():
    config = {"in_features": 8, "out_features": 2}
    device = xm.xla_device()
    net = models.get_model("linear", config, device)
    teacher = models.get_model("linear", config, frozen=True, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    for step in range(4):
        x = torch.randn(4, 8).to(device)
        loss = F.mse_loss(net(x), teacher(x))
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


if __name__ == "__main__":
    main()
