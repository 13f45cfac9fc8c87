import torch
x = torch.linspace(-100, 100, 308207)[:, None]
print('distinct inputs', len(x.unique()), 'as the TPU multiplies them', len(x.bfloat16().unique()))
model = torch.nn.Linear(1, 64)
if torch.cuda.is_available():
    model.cuda(); x = x.cuda()
optim = torch.optim.Adam(model.parameters(), lr=1e-4)
for step in range(10):
    loss = torch.sin(30 * model(x)).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
