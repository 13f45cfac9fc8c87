import torch

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for x, y in loader:
    # forward
    with torch.autocast("xla", dtype=torch.bfloat16):
        out = model(x)
        loss = torch.nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], 1.0)
    optimizer.step()
torch.save({"model": model.state_dict()}, "ckpt.pt")
