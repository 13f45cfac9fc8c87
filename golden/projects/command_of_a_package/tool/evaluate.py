def run(args):
    print("nothing to evaluate yet", args.path)


def add_command(commands):
    parser = commands.add_parser("evaluate")
    parser.add_argument("path")
    parser.set_defaults(run=run)
