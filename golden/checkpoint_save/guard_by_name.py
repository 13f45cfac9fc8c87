"""The answer to "am I the first process?" is kept under a name, and a function of the script saves."""
import torch
import torch.distributed as dist


def save_checkpoint(path, epoch, model, optimizer):
    torch.save({"epoch": epoch, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


def train(options, model, optimizer, loader):
    options.rank = dist.get_rank()
    options.writes = not options.distributed or options.rank == 0
    first = options.rank == 0
    for epoch in range(options.epochs):
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % options.every == 0 and options.writes:
            path = f"save_{epoch}.pth"
            save_checkpoint(path, epoch, model, optimizer)
    if first:
        torch.save(model.state_dict(), "last.pth")
