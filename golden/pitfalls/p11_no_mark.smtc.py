"""Loops without a data loader execute nothing by themselves: training, evaluation and inference get a mark each."""
import numpy as np
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
data = torch.from_numpy(np.load("tokens.npy"))


def get_batch(size=8):
    at = torch.randint(len(data) - 17, (size,))
    x = torch.stack([data[i : i + 16] for i in at])
    return x.to(device), torch.stack([data[i + 1 : i + 17] for i in at]).to(device)


@torch.no_grad()
def estimate_loss(model, eval_iters=10):
    model.eval()
    losses = torch.zeros(eval_iters)
    for k in range(eval_iters):
        x, y = get_batch()
        losses[k] = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()
        xm.mark_step()
    model.train()
    return losses.mean()


def main():
    model = torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1000):
        if step % 100 == 0:
            print(step, estimate_loss(model))
        x, y = get_batch()
        loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        xm.mark_step()


main()
