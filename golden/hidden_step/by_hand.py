import torch

model = torch.nn.Linear(4, 1).cuda()
lr = 20
for i in range(100):
    loss = model(torch.randn(2, 4).cuda()).mean()
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-lr)
