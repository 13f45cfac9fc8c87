# ruff: noqa: E501
"""What is done wrong to a migrated program: by program, the name of the fault, a text, and what takes its place."""

from __future__ import annotations

STEP = "xm.optimizer_step(optimizer"
BACKWARD = "loss.backward()\n"

PLANTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "mlp": (
        ("learning rate 1 % off", "lr=0.05", "lr=0.0505"),
        ("momentum off", "momentum=0.9", "momentum=0.89"),
        ("no weight decay", "weight_decay=0.01, ", ""),
        ("no Nesterov momentum", ", nesterov=True", ""),
        ("gradients never zeroed", "        optimizer.zero_grad()\n", ""),
        ("no label smoothing", "label_smoothing=0.1", ""),
        ("not shuffled", "shuffle=True", "shuffle=False"),
        ("another batch size", "batch_size=8", "batch_size=16"),
        ("an epoch less", "range(2)", "range(1)"),
        ("other initial weights", "torch.manual_seed(1)\ntorch_xla", "torch.manual_seed(2)\ntorch_xla"),
        ("no seed for the device", "torch_xla.manual_seed(1)\n", ""),
        ("two steps a batch", f"        {STEP}, barrier=True)\n", f"        {STEP})\n        {STEP}, barrier=True)\n"),
        ("backward twice", BACKWARD, "loss.backward(retain_graph=True)\n        loss.backward()\n"),
        ("a bias frozen", "optimizer = torch", "model[0].bias.requires_grad_(False)\noptimizer = torch"),
        ("optimizer of the model before the move",
         "model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)).to(device)\n"
         "optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True)\n",
         "model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))\n"
         "optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True)\n"
         "model = model.to(device)\n"),
        ("checkpoint without the optimizer", ', "optimizer": optimizer.state_dict()', ""),
        ("checkpoint with another epoch", '"epoch": epoch + 1', '"epoch": epoch'),
        ("checkpoint is not written", '    xm.save(state, "last.pt")\n', ""),
        ("checkpoint under another name", '"last.pt"', '"latest.pt"'),
        ("checkpoint of the first weights", "for epoch in range(2):\n",
         "first = copy.deepcopy(model).state_dict()\nfor epoch in range(2):\n    model.state_dict = lambda: first\n"),
        ("checkpoint of tensors of the device", "xm.save(state", "torch.save(state"),
        ("prints the last loss for the mean", "total / len(loader)", "loss.item()"),
        ("prints nothing", '    print(f"epoch {epoch} loss {total / len(loader):.5f}")\n', ""),
        ("bfloat16 model", "model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)).to(device)",
         "model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)).to(device)\n"
         "model = model.bfloat16()\ncall = model.forward\nmodel.forward = lambda x: call(x.bfloat16()).float()"),
        ("a mark in every step's middle", BACKWARD, "loss.backward()\n        torch_xla.sync()\n"),
    ),
    "conv": (
        ("no eval() before the test", "    model.eval()\n", ""),
        ("no train() after the test", "    model.train()\n", ""),
        ("input not scaled in training", "F.cross_entropy(model(x / 2), y)\n        loss", "F.cross_entropy(model(x), y)\n        loss"),
        ("another dropout", "nn.Dropout(0.2)", "nn.Dropout(0.1)"),
        ("another momentum of the batch norm", "nn.BatchNorm2d(4)", "nn.BatchNorm2d(4, momentum=0.2)"),
        ("another epsilon of the batch norm", "nn.BatchNorm2d(4)", "nn.BatchNorm2d(4, eps=1e-2)"),
        ("betas off", "betas=(0.9, 0.99)", "betas=(0.9, 0.999)"),
        ("the test counts otherwise", "right / 16", "right / 8"),
        ("weights are saved before the last epoch", 'for epoch in range(2):\n', 'for epoch in range(2):\n    early = copy.deepcopy(model.state_dict())\n    model.state_dict = lambda: early\n'),
        ("Adam without its second moment", "torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.99))",
         "torch.optim.SGD(model.parameters(), lr=0.01)"),
    ),
    "schedule": (
        ("no warm-up", "            warmup.step()\n", "            pass\n"),
        ("warm-up a step late", "(step + 1) / 4", "step / 4"),
        ("decay is never stepped", "    decay.step()\n", ""),
        ("decay twice", "    decay.step()\n", "    decay.step()\n    decay.step()\n"),
        ("another decay", "gamma=0.5", "gamma=0.4"),
        ("scheduler in every step", "            warmup.step()\n", "            warmup.step()\n            decay.step()\n"),
    ),
    "average": (
        ("another decay of the average", "mul_(0.9).add_(new, alpha=0.1)", "mul_(0.8).add_(new, alpha=0.2)"),
        ("the average never moves", "            kept.mul_(0.9).add_(new, alpha=0.1)\n", "            pass\n"),
        ("the average moves before the step", f"    {STEP})\n    with torch.no_grad():\n        for kept, new in zip(average.parameters(), model.parameters()):\n            kept.mul_(0.9).add_(new, alpha=0.1)\n",
         f"    with torch.no_grad():\n        for kept, new in zip(average.parameters(), model.parameters()):\n            kept.mul_(0.9).add_(new, alpha=0.1)\n    {STEP})\n"),
        ("the model is saved for the average", '"average": average.state_dict()', '"average": model.state_dict()'),
        ("the average is the model", "copy.deepcopy(model)", "model"),
        ("another weight decay", "lr=0.02", "lr=0.02, weight_decay=0.02"),
    ),
    "shadow": (
        ("the shadow never moves", "    shadow.update(model)\n", ""),
        ("the shadow of biases never moves", "            for name, p in model.named_parameters():\n                self",
         "            for name, p in model.named_parameters():\n                if p.ndim > 1: self"),
        ("another decay of the shadow", "Shadow(model, 0.99)", "Shadow(model, 0.98)"),
        ("another smoothing", "alpha=0.9)", "alpha=0.91)"),
    ),
    "accumulate": (
        ("no division by the accumulated", "F.mse_loss(model(x), y) / 2", "F.mse_loss(model(x), y)"),
        ("a step for every part", "(i + 1) % 2 == 0", "True"),
        ("parts counted from elsewhere", "(i + 1) % 2 == 0", "i % 2 == 0"),
        ("not clipped", "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n", ""),
        ("clipped at another norm", "parameters(), 0.5)", "parameters(), 0.25)"),
        ("clipped before it is reduced",
         "        xm.reduce_gradients(optimizer)\n        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n",
         "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n        xm.reduce_gradients(optimizer)\n"),
        ("clipped after the step",
         "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n        optimizer.step()\n",
         "        optimizer.step()\n        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n"),
        ("reduced in accumulation", "    loss.backward()\n", "    loss.backward()\n    xm.reduce_gradients(optimizer)\n"),
    ),
    "gan": (
        ("what the critic sees is not detached", "made.detach()", "generator(torch.randn(4, 3, device=device))"),
        ("the critic's learning rate", "lr=0.02", "lr=0.01"),
        ("the generator's betas", "generator.parameters(), lr=0.01, betas=(0.5", "generator.parameters(), lr=0.01, betas=(0.6"),
        ("the generator is never stepped", "    xm.optimizer_step(optimizer_g)\n", ""),
        ("optimizers exchanged", "xm.optimizer_step(optimizer_c)", "xm.optimizer_step(optimizer_g)"),
        ("the critic's gradients are not zeroed", "    optimizer_c.zero_grad()\n", ""),
    ),
    "groups": (
        ("decay for all", '"weight_decay": 0.0', '"weight_decay": 0.1'),
        ("decay for none", '"weight_decay": 0.1', '"weight_decay": 0.0'),
        ("a group is left out", ', {"params": plain, "weight_decay": 0.0}]', "]"),
        ("another epsilon", "lr=0.003)", "lr=0.003, eps=1e-6)"),
        ("the mean over another dimension", "(x + out).mean(1)", "(x + out).amax(1)"),
    ),
    "plateau": (
        ("the scheduler sees the training loss", "scheduler.step(valid_loss)", "scheduler.step(train_loss)"),
        ("another patience", "patience=0", "patience=1"),
        ("no log is written", '    with open("log.csv", "w") as file:\n        csv.writer(file).writerows(rows)\n', ""),
        ("the log has another column", "round(valid_loss, 5)))", "round(train_loss, 5)))"),
        ("tested on the training data", "for x, y in valid_loader", "for x, y in train_loader"),
    ),
    "recurrent": (
        ("hidden state begun anew", "hidden = hidden.detach()", "hidden = torch.zeros(4, 8, device=device)"),
        ("hidden state detached in each step", "        hidden = cell(embed(part[:, step]), hidden)\n",
         "        hidden = cell(embed(part[:, step]), hidden.detach())\n"),
        ("the embedding is not trained", "[*embed.parameters(), *cell", "[*cell"),
        ("targets are the inputs", "part[:, step + 1]", "part[:, step]"),
    ),
    "frozen": (
        ("the body is trained", "p.requires_grad = False", "p.requires_grad = True"),
        ("classes weighed alike", "weight=torch.tensor([1.0, 2.0], device=device)", "weight=None"),
        ("the head is frozen", "loader = pl", "head.bias.requires_grad = False\nloader = pl"),
    ),
    "vae": (
        ("another share of the divergence", "+ 0.5 * divergence", "+ 0.51 * divergence"),
        ("no noise", "torch.randn_like(mean)", "torch.zeros_like(mean)"),
        ("uniform noise", "torch.randn_like(mean)", "torch.rand_like(mean)"),
        ("not the largest second moment", ", amsgrad=True", ""),
    ),
}  # fmt: skip

UNSEEN = {
    "mlp: no seed for the device": "nothing of this program draws on the device, so nothing is another training",
}
"""Faults that no run of these steps can show, with the reason."""
