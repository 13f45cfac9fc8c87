import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2).to(device)
priors = torch.Tensor([1.0, 2.0]).to(device).view(-1, 2)
kept = torch.LongTensor([0, 1]).to(x.device)
sizes = torch.FloatTensor(
    2,
    3,
).to("cuda")
empty = torch.Tensor().to(device)
