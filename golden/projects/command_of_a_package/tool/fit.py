from tool.trainer import Settings, Trainer


def run(args):
    Trainer(Settings(args.gpus)).fit(args.epochs)


def add_command(commands):
    parser = commands.add_parser("fit")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    parser.set_defaults(run=run)
