"""A loop that leaves the counts out, one of an optimizer that has none, and one of something else."""
import torch

model = torch.nn.Linear(2, 2).cuda()
adam = torch.optim.Adam(model.parameters())
for state in adam.state.values():
    for k, v in state.items():
        if k != "step":
            state[k] = v.cuda()
sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for state in sgd.state.values():
    for k, v in state.items():
        state[k] = v.cuda()
for state in cache.state.values():
    for k, v in state.items():
        state[k] = v.cuda()
