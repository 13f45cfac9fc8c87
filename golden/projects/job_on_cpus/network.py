import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(16, 4)
        self.weights = torch.ones(16, device="cuda" if torch.cuda.is_available() else "cpu")

    def forward(self, inputs):
        return self.fc(inputs * self.weights)
