import argparse

from tool import evaluate, fit


def main():
    parser = argparse.ArgumentParser(prog="tool")
    commands = parser.add_subparsers(dest="command")
    evaluate.add_command(commands)
    fit.add_command(commands)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
