import argparse


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--resume", type=bool, default=False)
    parser.add_argument("--shuffle", type=lambda text: text == "True", default=True)
    parser.add_argument("--lr", type=float, default=0.1)
    return parser.parse_args()
