import torch

model = GPT(config).cuda()
# compile the model
if compile:
    print("compiling the model... (takes a ~minute)")
    unoptimized_model = model


def fused(x):
    return x * 2


def save(path):
    torch.save(model.state_dict(), path)
