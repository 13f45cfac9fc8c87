import torch

device = torch.device("cuda")


def get_batch(split):
    x = torch.stack([data[i : i + 8] for i in ix])
    y = torch.stack([data[i + 1 : i + 9] for i in ix])
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
    return x, y


class Collator:
    def __call__(self, samples):
        batch = torch.stack(samples)
        # staged for the copy
        return batch
