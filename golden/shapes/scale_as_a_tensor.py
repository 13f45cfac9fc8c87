import torch


def main(loader, model, fp16):
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    grad_scaler = torch.cuda.amp.GradScaler(enabled=fp16)
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        with torch.cuda.amp.autocast(enabled=fp16):
            loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        grad_scaler.scale(loss).backward()
        grad_scaler.step(optimizer)
        grad_scaler.update()
        if step % 100 == 0:
            print(step, grad_scaler._get_scale_async().item() if fp16 else 1.0)


def scales(loader, model):
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())).backward()
        before = scaler._get_scale_async()
        scaler.step(optimizer)
        scaler.update()
        if before.item() > scaler.get_scale():
            print("skipped")
