import torch_xla.core.xla_model as xm


def map_fn(index):
    print(index)


def main():
    map_fn(xm.get_ordinal())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
