import torch


def run(args, rank, model, epochs):
    for epoch in range(epochs):
        if rank == 0 and (epoch + 1) % args.save_every == 0:
            torch.save(model.state_dict(), args.out)
    if rank == 0: torch.save(model.state_dict(), "last.pt")
