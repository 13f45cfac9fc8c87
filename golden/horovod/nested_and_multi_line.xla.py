import torch


def build(model, args):
    print("started")
    optimizer = torch.optim.SGD(
            model.parameters(),  # all of them
            lr=args.lr,
        )
    return optimizer
