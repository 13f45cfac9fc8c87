import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(60):
    loss = torch.nn.functional.mse_loss(model(torch.ones(4, 1)), torch.zeros(4, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
