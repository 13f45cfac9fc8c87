import torch.nn.functional as F

from engine import *
from settings import *


def main():
    loader, model, optimizer = build()
    for epoch in range(EPOCHS):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x.to(DEVICE)), y.to(DEVICE))
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
