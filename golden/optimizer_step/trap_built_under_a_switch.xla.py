import argparse

import torch
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--use-optimizer", action="store_true")
parser.add_argument("--lr", type=float, default=20)
args = parser.parse_args()

model = torch.nn.Linear(8, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
if args.use_optimizer:
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

for i in range(100):
    x, y = torch.randn(4, 8), torch.randint(2, (4,))
    if args.use_optimizer:
        optimizer.zero_grad()
    else:
        model.zero_grad()
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    if args.use_optimizer:
        xm.reduce_gradients(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    if args.use_optimizer:
        optimizer.step()
    else:
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-args.lr)
