import torch
import torch_xla


class Bank:
    def __init__(self, model):
        self.means = [p.data.clone() for p in model.parameters()]
        self.queue = torch.zeros(16, 4).cuda()

    def restore(self, means, step):
        self.means = means

    def refill(self, queue):
        self.queue = queue


model = torch.nn.Linear(4, 4).cuda()
bank = Bank(model)
saved = torch.load("bank.pt")
device = torch_xla.device()
bank.restore([v.to(device) for v in saved["means"]], 3)
bank.refill(saved["queue"].to(device))
