"""The state of an optimizer is moved as one did by hand: its counts of steps stay on the host, where Adam reads them."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(2, 2).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
checkpoint = torch.load("last.pt")
optimizer.load_state_dict(checkpoint["optimizer"])
for state in optimizer.state.values():
    for k, v in state.items():
        if isinstance(v, torch.Tensor):
            state[k] = v.cuda()
