import torch
from torch import nn

parts = {}


def main():
    torch.manual_seed(3)
    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    parts["scaler"] = torch.cuda.amp.GradScaler()
    for _ in range(3):
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = model(torch.ones(8, 4, device=device)).float().pow(2).mean()
        parts["scaler"].scale(loss).backward()
        parts["scaler"].unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        parts["scaler"].step(optimizer)
        parts["scaler"].update()


if __name__ == "__main__":
    main()
