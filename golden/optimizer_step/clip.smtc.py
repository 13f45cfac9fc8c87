import torch
from torch.nn.utils import clip_grad_norm_
import torch_xla.core.xla_model as xm


def train(model, batches, args):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()

        xm.reduce_gradients(optimizer)
        # keep the gradients in bounds
        if args.clip > 0:
            clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
