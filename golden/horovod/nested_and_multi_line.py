import torch
import horovod.torch as hvd


def build(model, args):
    hvd.init(); print("started")
    optimizer = hvd.DistributedOptimizer(
        torch.optim.SGD(
            model.parameters(),  # all of them
            lr=args.lr,
        ),
        named_parameters=model.named_parameters(),
    )
    if args.verbose: hvd.init()
    return optimizer
