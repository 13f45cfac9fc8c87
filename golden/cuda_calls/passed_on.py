import torch


def clock(sync=torch.cuda.synchronize):
    sync()


wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
cleaners = {"gpu": torch.cuda.empty_cache, "cpu": None}
clean = torch.cuda.empty_cache
clean()
done = torch.cuda.synchronize() if wait else None
