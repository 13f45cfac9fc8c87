import torch
import torch_xla
import torch_xla.core.xla_model as xm


def save(path):
    torch.save({"cpu": torch.get_rng_state(), "cuda": xm.get_rng_state()}, path)


def load(state):
    torch.set_rng_state(state["cpu"])
    xm.set_rng_state(state["cuda"])
    torch.cuda.seed_all()


seed_gpus = lambda seed: torch_xla.manual_seed(seed)
torch_xla.manual_seed(3)
