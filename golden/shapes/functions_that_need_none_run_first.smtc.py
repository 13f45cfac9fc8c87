import torch
import torch_xla.core.xla_model as xm


def prepare(path):
    return open(path).read()


def move(x):
    return x.to(device)


def step(model, x):
    return model(move(x))


text = prepare("data.txt")
print(len(text))
model = torch.nn.Linear(4, 1)
device = xm.xla_device()
model.to(device)
step(model, torch.ones(2, 4))
