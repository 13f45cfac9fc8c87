import torch
import torch_xla


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(16, 4)
        device = torch_xla.device()
        self.weights = torch.ones(16, device=device)

    def forward(self, inputs):
        return self.fc(inputs * self.weights)
