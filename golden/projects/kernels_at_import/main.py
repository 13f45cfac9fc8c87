from network import Net
from trainer import train

if __name__ == "__main__":
    train(Net())
