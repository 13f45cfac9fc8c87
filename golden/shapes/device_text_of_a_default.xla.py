import torch
import torch_xla


class Config:
    device = "xla"
    other = torch.device("xla")


def f(model, device="xla"):
    model.to(device)
    if str(device).startswith("xla"):
        print("gpu")
    if str(device).startswith("xla"):
        print("gpu")


def g(model, dev=torch.device("xla")):
    model.to(dev)
    if dev.type == "xla":
        print("gpu")


class Trainer:
    def __init__(self, model, device: str = "xla"):
        self.device = device
        model.to(self.device)
        if str(self.device).startswith("xla"):
            print("gpu")


model = torch.nn.Linear(2, 2)
f(model)
device = torch_xla.device()
f(model, device)
g(model)
Trainer(model)
model.to(Config.device)
model.to(Config.other)
if str(Config.device).startswith("xla"):
    print("gpu")
settings = {"device": torch_xla.device()}
model.to(settings["device"])
if settings["device"].type == "xla":
    print("gpu")
