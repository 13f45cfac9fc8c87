import torch

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def main():
    net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
    return net(torch.ones(2, 2))


if __name__ == "__main__":
    main()
