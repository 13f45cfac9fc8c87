import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def main(args):
    rank = xr.global_ordinal()
    device = torch_xla.device()
    seed = args.global_seed * xr.world_size() + rank
    torch.manual_seed(seed)
    torch_xla.manual_seed(int(seed))
    model = torch.nn.Linear(4, 1)
    ema = torch.nn.Linear(4, 1).to(device)
    model = model.to(device)
    xm.broadcast_master_param(model)
    z = torch.randn(4, 4, device=device)
    print(model(z).mean())


def by_number(rank):
    local = xr.local_ordinal()
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    print("on", local, model(torch.randn(4, 4).to(device)))


def asked_for_its_number(rank):
    device = xr.local_ordinal()
    xla_device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(xla_device)
    if device == 0:
        print(model(torch.randn(4, 4, device=xla_device)).mean())


def run():
    main(None)


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
