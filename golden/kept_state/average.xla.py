import torch


class Average:
    def __init__(self, model):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
        self.count = 0

    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].data = 0.9 * self.shadow[name].data + 0.1 * p.data

    def load_state_dict(self, state):
        self.shadow = state


def main(path):
    device = torch.device("cuda")
    model = torch.nn.Linear(2, 2).to(device)
    average = Average(model)
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    average.load_state_dict({k: v.to(device) for k, v in checkpoint["average"].items()})
    average.count = checkpoint["count"]
    average.update(model)


main("last.pt")
