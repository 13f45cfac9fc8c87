import torch

weights = {}
weights["first"] = torch.nn.Parameter(torch.randn(4, 2).cuda())
bias = torch.nn.Parameter(torch.zeros(2).cuda())
both = {"bias": bias, **weights}
optimizer = torch.optim.SGD(both.values(), lr=0.1)
for _ in range(3):
    loss = (torch.randn(8, 4).cuda() @ both["first"] + both["bias"]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save(both, "both.pt")
