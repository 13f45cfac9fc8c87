import torch

model = torch.nn.Linear(4, 1).cuda()
criterion = torch.nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.8)
x, y = torch.randn(8, 4).cuda(), torch.randn(8, 1).cuda()
for i in range(20):
    def closure():
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        if loss.requires_grad:
            loss.backward()
        return loss

    loss = optimizer.step(closure)

sgd = torch.optim.SGD(model.parameters(), lr=0.1)
sgd.step(closure=None)
sgd.step(make_closure(model, x))
