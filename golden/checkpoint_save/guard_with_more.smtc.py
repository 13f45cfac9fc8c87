import torch
import torch_xla.core.xla_model as xm


def run(args, rank, model, epochs):
    for epoch in range(epochs):
        if (epoch + 1) % args.save_every == 0:
            xm.save(model.state_dict(), args.out)
    xm.save(model.state_dict(), "last.pt")
