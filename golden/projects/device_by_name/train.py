import torch
import torch.nn.functional as F

import models


def main():
    config = {"in_features": 8, "out_features": 2}
    net = models.get_model("linear", config, "cuda")
    teacher = models.get_model("linear", config, frozen=True, device="cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    for step in range(4):
        x = torch.randn(4, 8).cuda()
        loss = F.mse_loss(net(x), teacher(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
