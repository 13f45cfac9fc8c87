"""torchaudio.models: networks for sound."""

from torch.nn import Network


def __getattr__(name):
    return Network
