import torch
import torch_xla.core.xla_model as xm


def train(model, batches, n):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for i, (x, y) in enumerate(batches):
        model(x.cuda(), y.cuda()).backward()
        if i % n == 0:
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if i % n == 0:
            optimizer.step()
            optimizer.zero_grad()
