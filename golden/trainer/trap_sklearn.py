from mylib import Trainer


def main():
    Trainer().train()


if __name__ == "__main__":
    main()
