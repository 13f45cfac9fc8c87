import torch


class Average:
    def __init__(self, model):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
        self.decay = 0.9

    def state_dict(self):
        return {"shadow": self.shadow, "decay": self.decay}

    def load_state_dict(self, state):
        self.shadow = state["shadow"]
        self.decay = state["decay"]


model = torch.nn.Linear(4, 4).cuda()
average = Average(model)
average.load_state_dict(torch.load("average.pt"))
