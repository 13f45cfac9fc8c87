"""OmegaConf: settings from files and the command line; each is a symbol that is the same wherever it is asked."""

from meaning import fresh, plain


class DictConfig:
    pass


class ListConfig:
    pass


class OmegaConf:
    @staticmethod
    def load(*given):
        return fresh("settings")

    create = merge = structured = from_cli = from_dotlist = to_container = to_object = load
    to_yaml = resolve = set_struct = set_readonly = is_config = is_missing = save = load
    register_new_resolver = select = load


def open_dict(settings):
    return _Open()


class _Open:
    def __enter__(self):
        return None

    def __exit__(self, *given):
        return None


def __getattr__(name):
    return plain("omegaconf." + name)
