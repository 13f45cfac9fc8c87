import torch
from torch import nn


def build(args, n_gpu):
    model = nn.Linear(4, 2)
    model.to(args.device)
    model_without_ddp = model
    raw = model
    state = model.state_dict()
    ema = raw
    return model, model_without_ddp, state, ema
