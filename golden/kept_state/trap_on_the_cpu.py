import torch


class Average:
    def __init__(self, model):
        self.shadow = {name: p.detach().cpu().clone() for name, p in model.named_parameters()}

    def load_state_dict(self, state):
        self.shadow = state


model = torch.nn.Linear(4, 4).cuda()
average = Average(model)
average.load_state_dict(torch.load("average.pt"))
