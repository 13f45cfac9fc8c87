import torch
import torch_xla.core.xla_model as xm


def train(model, batches, accumulation_steps):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for step, (x, y) in enumerate(batches):
        loss = model(x.cuda(), labels=y.cuda()).loss / accumulation_steps
        loss.backward()
        if (step + 1) % accumulation_steps == 0:
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
