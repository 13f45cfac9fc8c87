import torch


def step(x):
    if not torch.cuda.is_current_stream_capturing():
        print("step")
    return x
