"""The launcher calls _mp_fn(index): what xmp.spawn passes besides has to be made in each process."""
import torch_xla.core.xla_model as xm


def train(index, flags):
    print(index, flags["lr"], xm.xla_device())


def main():
    flags = {"lr": 0.1}
    train(xm.get_ordinal(), flags)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
