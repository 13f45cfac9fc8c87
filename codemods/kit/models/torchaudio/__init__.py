"""torchaudio: sound as tensors on the host."""

from meaning import fresh, tensor, unknown

from . import datasets, functional, models, transforms


def load(path, *given, **more):
    return tensor(scalar=False), fresh("sample rate")


def save(*given, **more):
    return None


info = set_audio_backend = save


def __getattr__(name):
    return unknown("torchaudio." + name)
