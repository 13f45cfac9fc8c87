"""argparse: each option is a symbol that is the same wherever it is asked."""

from meaning import by_default, callable_function, event, fresh, known_text, option, symbol


class Namespace:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        event("option asked", name)
        return option(name)


class ArgumentParser:
    def __init__(self, *given, **more):
        self._kinds = {}
        self._functions = {}
        self._defaults = {}

    def add_argument(self, *names, **more):
        name = more.get("dest", names[-1].lstrip("-").replace("-", "_"))
        event("option", name)
        if more.get("type") is str and more.get("nargs") is None:
            self._kinds[name] = "str"
        if known_text(more.get("default")):
            self._defaults[name] = more.get("default")
        if more.get("action") == "store_true" and more.get("default") is True:
            self._kinds[name] = True
        if more.get("action") == "store_false" and more.get("default") is False:
            self._kinds[name] = False
        return symbol("option")

    def add_argument_group(self, *given, **more):
        return self

    add_mutually_exclusive_group = add_subparsers = add_parser = add_argument_group

    def set_defaults(self, **given):
        """Commands name the function that does their work: which one it is the command line decides."""
        for name, value in given.items():
            if callable_function(value):
                known = self._functions.get(name)
                if known is not None:
                    value = value if fresh("command") else known
                self._functions[name] = value

    def error(self, *given):
        from meaning import end

        end()

    def print_help(self, *given):
        return None

    def format_help(self):
        return symbol("help")

    def parse_args(self, *given, **more):
        made = Namespace()
        for name, kind in self._kinds.items():
            setattr(made, name, option(name, kind) if kind == "str" else kind)
        for name, function in self._functions.items():
            setattr(made, name, function)
        for name, text in self._defaults.items():
            by_default(name, text)
        return made

    def parse_known_args(self, *given, **more):
        return self.parse_args(), []


class ArgumentDefaultsHelpFormatter:
    pass


RawDescriptionHelpFormatter = RawTextHelpFormatter = MetavarTypeHelpFormatter = ArgumentDefaultsHelpFormatter
HelpFormatter = ArgumentDefaultsHelpFormatter
Action = ArgumentTypeError = BooleanOptionalAction = SUPPRESS = REMAINDER = ArgumentDefaultsHelpFormatter
FileType = lambda *given: symbol("file type")
