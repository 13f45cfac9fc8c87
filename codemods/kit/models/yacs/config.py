"""yacs: settings in a tree whose values files and the command line change."""

from meaning import fresh, is_class


class CfgNode:
    def __init__(self, given=None, *more, **others):
        self._path = fresh("settings")

    def __getattr__(self, name):
        return self._path + name

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __setattr__(self, name, value):
        """A tree below this one is kept; a value is not: a file may say another."""
        if name == "_path" or is_class(value, "yacs.config.CfgNode"):
            object_set(self, name, value)

    def clone(self):
        return self

    def merge_from_file(self, *given):
        return None

    merge_from_list = merge_from_other_cfg = freeze = defrost = set_new_allowed = register_renamed_key = merge_from_file

    def items(self):
        return [(fresh("name"), fresh("value"))]

    def keys(self):
        return [fresh("name")]

    def dump(self, *given, **more):
        return fresh("text")

    def get(self, name, default=None):
        return getattr(self, name)

    @classmethod
    def load_cfg(cls, *given):
        return cls()


from meaning import object_set
