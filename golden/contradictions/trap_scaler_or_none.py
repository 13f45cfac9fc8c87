import torch


def update(optimizer, loss, scaler=None):
    optimizer.zero_grad()
    if scaler is None:
        loss.backward()
        optimizer.step()
    else:
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
update(optimizer, model(torch.ones(2).cuda()).sum())
update(optimizer, model(torch.ones(2).cuda()).sum(), torch.cuda.amp.GradScaler())
