import torch


def place(model, device):
    return model.to(device)


device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
model = place(torch.nn.Linear(2, 2), device)
