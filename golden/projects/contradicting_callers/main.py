import torch
from torch.utils.data import DataLoader

from data import build_dataset, build_model
from engine import accuracy, calibrate, describe, evaluate, predict, train_one_epoch
from updates import advance


def main():
    device = torch.device("cuda")
    model = build_model().to(device)
    train_loader = DataLoader(build_dataset(0), batch_size=16, shuffle=True, drop_last=True)
    val_loader = DataLoader(build_dataset(1), batch_size=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for epoch in range(2):
        loss = train_one_epoch(model, train_loader, optimizer, device)
        advance(scheduler)
        print(epoch, loss, evaluate(model, val_loader, device))

    samples = [build_dataset(2).tensors]
    print(calibrate(model, val_loader, device))
    print(calibrate(model, samples, device))
    print(accuracy(model, val_loader), predict(model, val_loader))
    print(describe(model.state_dict()), describe({"weights": torch.zeros(3)}))


if __name__ == "__main__":
    main()
