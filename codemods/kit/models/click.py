"""click: a decorated function is a command, whose parameters are the command line."""

from meaning import from_options, plain, symbol


class _Command:
    def __init__(self, function):
        self.callback = function
        self._commands = []

    def __call__(self, *given, **more):
        made = self.callback(*given, **more) if given or more else from_options(self.callback)
        for command in self._commands:
            if symbol("command"):
                return command()
        return made

    main = __call__

    def command(self, *given, **more):
        def add(function):
            made = _Command(function)
            self._commands.append(made)
            return made

        return add

    group = command

    def add_command(self, command, name=None):
        self._commands.append(command)


def command(*given, **more):
    return _Command(given[0]) if given and callable(given[0]) else _Command


group = command


def _kept(*given, **more):
    return lambda function: function


option = argument = version_option = help_option = confirmation_option = _kept


def pass_context(function):
    return lambda *given, **more: from_options(function, plain("click.Context"), *given)


pass_obj = pass_context


def __getattr__(name):
    return plain("click." + name)
