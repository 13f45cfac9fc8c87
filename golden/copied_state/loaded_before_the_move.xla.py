import torch

model, target = torch.nn.Linear(4, 2), torch.nn.Linear(4, 2)
target.load_state_dict({k: v.cpu() for k, v in model.state_dict().items()})
model.cuda()
target.cuda()
