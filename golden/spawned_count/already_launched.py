import torch
import torch_xla


def train(index, n):
    print(index, n)


if __name__ == "__main__":
    n = torch.cuda.device_count()
    torch_xla.launch(train, args=(n,))
