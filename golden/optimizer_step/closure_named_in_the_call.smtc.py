import torch
import torch_xla.core.xla_model as xm

model = Net().cuda()
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss


for _ in range(20):
    xm.optimizer_step(optimizer, optimizer_args={"closure": (last := closure)})
