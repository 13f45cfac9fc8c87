import torch
from torch import nn

parts = {}


def main():
    torch.manual_seed(3)
    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = model(torch.ones(8, 4, device=device)).float().pow(2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        parts["scaler"].step(optimizer)


if __name__ == "__main__":
    main()
