import numpy as np


def main():
    print(np.load("features.npy").mean())


if __name__ == "__main__":
    main()
