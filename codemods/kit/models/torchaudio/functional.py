"""torchaudio.functional: operations on sound."""

from meaning import operator


def __getattr__(name):
    return operator("torchaudio.functional." + name)
