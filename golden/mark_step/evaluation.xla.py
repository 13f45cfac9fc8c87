import torch
import torch_xla


@torch.no_grad()
def estimate_loss(model: torch.nn.Module, get_batch, eval_iters, ctx):
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            with ctx:
                logits, loss = model(X.cuda(), Y.cuda())
            torch_xla.sync()
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def predict(model: torch.nn.Module, paths, load):
    model.cuda().eval()
    found = []
    with torch.no_grad():
        for i in range(len(paths)):
            image = load(paths[i])
            if image is None:
                continue
            output = model(image.cuda())
            if output.shape[0] == 0:
                torch_xla.sync()
                continue
            found.append(output)
            torch_xla.sync()
    return found
