import torch

scaler = torch.cuda.amp.GradScaler()
stats = []
if scaler.is_enabled():
    stats.append("scale")
else:
    stats.append("plain")
for x, y in loader:
    loss = criterion(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    if scaler.is_enabled() and len(stats) > 4:
        print(scaler.get_scale())
