"""The state of the CUDA generator as a tensor: XLA's is a number."""
import torch


def states(device):
    host = torch.random.get_rng_state().cuda()
    state = torch.cuda.get_rng_state(0).cuda()
    return host, state


def keep(path, model):
    torch.save({"model": model.state_dict(), "state": torch.cuda.get_rng_state()}, path)
