import torch


class Config:
    device = "cuda"
    other = torch.device("cuda")


def f(model, device="cuda"):
    model.to(device)
    if device == "cuda":
        print("gpu")
    if device.startswith("cuda"):
        print("gpu")


def g(model, dev=torch.device("cuda")):
    model.to(dev)
    if dev == torch.device("cuda"):
        print("gpu")


class Trainer:
    def __init__(self, model, device: str = "cuda"):
        self.device = device
        model.to(self.device)
        if "cuda" in self.device:
            print("gpu")


model = torch.nn.Linear(2, 2)
f(model)
f(model, "cuda:0")
g(model)
Trainer(model)
model.to(Config.device)
model.to(Config.other)
if Config.device == "cuda":
    print("gpu")
settings = {"device": "cuda"}
model.to(settings["device"])
if settings["device"] == "cuda":
    print("gpu")
