import torch
import torch.distributed as dist


def evaluate(model, loader, sizes, n, device):
    scores = []
    with torch.no_grad():
        for x, y in loader:
            out = model(x.cuda())
            if dist.get_world_size() > 1:
                buf = torch.empty(n, device="cuda")
                dist.all_gather(list(buf.split(sizes)), out)
                out = buf
            scores.append(out)
    return torch.cat(scores)


def evaluate2(model, loader, n):
    buf = torch.empty(dist.get_world_size(), n, device="cuda")
    for x, y in loader:
        out = model(x.cuda())
        dist.all_gather(list(buf.unbind(0)), out)
    return buf


def evaluate3(model, loader, n):
    buf = torch.empty(dist.get_world_size() * n, device="cuda")
    parts = list(buf.chunk(dist.get_world_size()))
    for x, y in loader:
        out = model(x.cuda())
        dist.all_gather(parts, out)
    return buf


def evaluate4(x, n, view):
    buf = torch.empty(dist.get_world_size(), n, device="cuda")
    handle = dist.all_gather([buf[i] for i in range(dist.get_world_size())], x, async_op=True)
    handle.wait()
    if n: dist.all_gather(list(buf.unbind(0)), x)
    rows = buf.unbind(0)
    # into the rows
    dist.all_gather(tensor=x, tensor_list=rows)  # all of them
    return buf
