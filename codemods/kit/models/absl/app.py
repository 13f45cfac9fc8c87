"""absl.app: runs the main function and ends the program."""

from meaning import fresh


def run(main, argv=None, **more):
    main(fresh("command line"))


class UsageError(Exception):
    pass
