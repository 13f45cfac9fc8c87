import torch

model = torch.nn.Linear(4, 2).cuda()
model.load_state_dict(torch.load("model.pt", map_location="cpu"))
