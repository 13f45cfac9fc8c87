import os

import torch
import torch.nn.functional as F

from network import Net


def main():
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        inputs, labels = torch.randn(8, 16).cuda(), torch.randint(0, 4, (8,)).cuda()
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    torch.save(model.state_dict(), os.path.join(os.environ.get("SM_MODEL_DIR", "."), "model.pt"))


if __name__ == "__main__":
    main()
