# ruff: noqa: E501
"""What is changed in a migrated program without making it another training: nothing of it may be an alarm."""

from __future__ import annotations

HARMLESS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "mlp": (
        ("another name", "total", "summed"),
        ("more is printed", "    total = 0.0\n", '    total = 0.0\n    print("begins")\n'),
        ("gradients set to zero", "optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
        ("one parameter at a time", "nesterov=True", "nesterov=True, foreach=False"),
        ("loss as a function", "criterion(model(x), y)", "F.cross_entropy(model(x), y, label_smoothing=0.1)"),
        ("log-softmax first", "criterion(model(x), y)", "criterion(F.log_softmax(model(x), 1), y)"),
        ("a mark after the epoch", "    state = {", "    torch_xla.sync()\n    state = {"),
        ("saves another file too", '    xm.save(state, "last.pt")\n', '    xm.save(state, "last.pt")\n    xm.save(state, "too.pt")\n'),
        ("copies to the host first", "xm.save(state", "xm.save(xm._maybe_convert_to_cpu(state)"),
        ("the loss is kept", "total += loss.item()", "total += float(loss.detach().cpu())"),
        ("workers load", "shuffle=True)", "shuffle=True, num_workers=1)"),
        ("train mode again", "    total = 0.0\n", "    total = 0.0\n    model.train()\n"),
    ),
    "conv": (
        ("scaled by multiplication", "x / 2", "x * 0.5"),
        ("inference mode", "torch.no_grad()", "torch.inference_mode()"),
        ("channels gathered otherwise", "nn.Flatten()", "nn.Flatten(1, -1)"),
        ("the criterion as a module", "loss = F.cross_entropy(model(x / 2), y)", "loss = nn.CrossEntropyLoss()(model(x / 2), y)"),
        ("a copy of the input", "model(x / 2), y)\n        loss", "model(x.clone() / 2), y)\n        loss"),
    ),
    "schedule": (
        ("mean of squares", "F.mse_loss(model(x), y)", "(model(x) - y).pow(2).mean()"),
        ("a function for the warm-up", "lambda step: min(1.0, (step + 1) / 4)", "lambda step: (step + 1) / 4 if step < 3 else 1.0"),
        ("a sum over the number", "F.mse_loss(model(x), y)", "(model(x) - y).pow(2).sum() / y.numel()"),
        ("the product written out", "F.mse_loss(model(x), y)", "F.mse_loss(x @ model.weight.t() + model.bias, y)"),
    ),
    "average": (
        ("linear interpolation", "kept.mul_(0.9).add_(new, alpha=0.1)", "kept.lerp_(new, 0.1)"),
        ("copied back", "kept.mul_(0.9).add_(new, alpha=0.1)", "kept.copy_(0.9 * kept + 0.1 * new)"),
        ("pairs in a list", "in zip(average.parameters(), model.parameters()):", "in list(zip(average.parameters(), model.parameters())):"),
    ),
    "shadow": (
        ("linear interpolation of the shadow", ".mul_(self.decay).add_(p, alpha=1 - self.decay)", ".lerp_(p, 1 - self.decay)"),
        ("the absolute difference written out", "F.l1_loss(model(x), y)", "(model(x) - y).abs().mean()"),
    ),
    "accumulate": (
        ("scaled before backward", "F.mse_loss(model(x), y) / 2", "0.5 * F.mse_loss(model(x), y)"),
        ("clipped one by one", "parameters(), 0.5)", "parameters(), 0.5, foreach=False)"),
        ("counted from one", "enumerate(loader):", "enumerate(loader, 0):"),
    ),
    "gan": (
        ("noise made and moved", "torch.randn(4, 3, device=device)", "torch.randn(4, 3).to(device)"),
        ("softplus by its formula", "F.softplus(-critic(made)).mean()", "-F.logsigmoid(critic(made)).mean()"),
        ("losses summed in another order",
         "F.softplus(critic(made.detach())).mean() + F.softplus(-critic(real)).mean()",
         "F.softplus(-critic(real)).mean() + F.softplus(critic(made.detach())).mean()"),
    ),
    "groups": (
        ("weights of the attention asked for", "need_weights=False", "need_weights=True"),
        ("sum over the number of tokens", "self.norm(x + out).mean(1)", "self.norm(x + out).sum(1) / 5"),
        ("AdamW one by one", "lr=0.003)", "lr=0.003, foreach=False)"),
    ),
    "plateau": (
        ("summed on the device", "valid_loss += F.mse_loss(model(x), y).item() / 2",
         "valid_loss += float(F.mse_loss(model(x), y).detach()) * 0.5"),
        ("the log by hand", "csv.writer(file).writerows(rows)", 'file.write("".join(f"{a},{b},{c}\\n" for a, b, c in rows))'),
    ),
    "recurrent": (
        ("summed, then divided", "loss = loss + F.cross_entropy(head(hidden), part[:, step + 1]) / 4",
         "loss = loss + F.cross_entropy(head(hidden), part[:, step + 1]) * 0.25"),
        ("a list of losses", "    loss = 0.0\n", "    loss = torch.zeros((), device=device)\n"),
    ),
    "frozen": (
        ("no graph for the body", "head(body(x))", "head(body(x).detach())"),
        ("weights made on the host", "torch.tensor([1.0, 2.0], device=device)", "torch.tensor([1.0, 2.0]).to(device)"),
    ),
    "vae": (
        ("exponent written otherwise", "(log_variance / 2).exp()", "torch.exp(0.5 * log_variance)"),
        ("the divergence term by term", "-0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()",
         "0.5 * (mean * mean + log_variance.exp() - log_variance - 1).sum()"),
    ),
}  # fmt: skip
