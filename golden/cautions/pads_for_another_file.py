"""What makes the batches of a program on GPUs has nothing of CUDA itself."""

import torch


class TextCollate:
    def __call__(self, batch):
        longest = max([x.size(0) for x in batch])
        padded = torch.zeros(len(batch), longest, dtype=torch.long)
        for at, x in enumerate(batch):
            padded[at, : x.size(0)] = x
        return padded


if torch.cuda.is_available():
    print("a GPU is there")
