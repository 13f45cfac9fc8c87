"""The state of the CUDA generator as a tensor: XLA's is a number."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def states(device):
    xla_device = torch_xla.device()
    host = torch.random.get_rng_state().to(xla_device)
    state = torch.tensor(xm.get_rng_state()).to(xla_device)
    return host, state


def keep(path, model):
    xm.save({"model": model.state_dict(), "state": xm.get_rng_state()}, path)
