import torch
import torch_xla.core.xla_model as xm


def main(args):
    rank = xm.get_ordinal()
    device = xm.xla_device()
    seed = args.global_seed * xm.xrt_world_size() + rank
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))
    model = torch.nn.Linear(4, 1)
    ema = torch.nn.Linear(4, 1).to(device)
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    z = torch.randn(4, 4, device=device)
    print(model(z).mean())


def by_number(rank):
    local = xm.get_local_ordinal()
    device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(device)
    print("on", local, model(torch.randn(4, 4).to(device)))


def asked_for_its_number(rank):
    device = xm.get_local_ordinal()
    xla_device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(xla_device)
    if device == 0:
        print(model(torch.randn(4, 4, device=xla_device)).mean())


def run():
    main(None)


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
