import torch
import torch_xla


def prepare(path):
    return open(path).read()


def move(x):
    return x.to(device)


def step(model, x):
    return model(move(x))


text = prepare("data.txt")
print(len(text))
model = torch.nn.Linear(4, 1)
device = torch_xla.device()
model.to(device)
step(model, torch.ones(2, 4))
