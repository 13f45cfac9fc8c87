import torch

device = torch.device("cuda")
policy = torch.nn.Linear(4, 2).to(device)
log_alpha = torch.nn.Parameter(torch.zeros(1, device=device))
optimizer = torch.optim.Adam([*policy.parameters(), log_alpha])
for _ in range(3):
    loss = policy(torch.randn(8, 4, device=device)).mean() * log_alpha.exp().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
kept = {"policy": policy.state_dict(), "parts": [log_alpha, policy.bias], "step": 3}
torch.save(kept, "last.pt")
torch.save({"alpha": log_alpha, **policy.state_dict()}, "all.pt")
torch.save((log_alpha, 0.2), f="alpha.pt")
