import torch
import torch_xla.core.xla_model as xm

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
            xm.reduce_gradients(optimizer)
        return loss

    loss = xm.optimizer_step(optimizer, optimizer_args={"closure": closure})

sgd = torch.optim.SGD(model.parameters(), lr=0.1)
xm.optimizer_step(sgd)
xm.optimizer_step(sgd, optimizer_args={"closure": make_closure(model, x)})
