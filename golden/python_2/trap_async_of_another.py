import torch

pool.submit(torch.zeros(2), async=True)
