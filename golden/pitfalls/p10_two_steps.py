"""One step per iteration: the scaler's, or xm.optimizer_step where there is no scaler, never both."""
import torch
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda")
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = GradScaler()
    for x, y in DataLoader(torch.load("data.pt"), batch_size=8, drop_last=True):
        optimizer.zero_grad(set_to_none=True)
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    main()
