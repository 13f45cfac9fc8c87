import torch.distributed
from mylib import mp


def main():
    mp.spawn(work, nprocs=4)


if __name__ == "__main__":
    main()
