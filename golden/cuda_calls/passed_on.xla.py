import torch
import torch_xla


def clock(sync=lambda: torch_xla.sync(wait=True)):
    sync()


wait = (lambda: torch_xla.sync(wait=True)) if torch.cuda.is_available() else lambda: None
cleaners = {"gpu": lambda: None, "cpu": None}
clean = lambda: None
clean()
done = torch_xla.sync(wait=True) if wait else None
