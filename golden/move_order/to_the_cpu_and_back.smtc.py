import torch


def train(model, loader, device):
    model = model.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for step, (x, y) in enumerate(loader):
        torch.nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
        if step % 100 == 0:
            model.eval()
            path = "step_" + str(step) + ".pth"
            torch.save(model.state_dict(), path)
            model.train()
        if step % 1000 == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pth")
        if step % 500 == 0:
            model.cpu()
            model(torch.zeros(1, 4))
            model.to(device)
    model.eval().cpu()
    torch.save(model.state_dict(), "final.pth")
