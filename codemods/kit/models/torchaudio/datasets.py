"""torchaudio.datasets: samples are sound, its rate, and what is said of it."""

from meaning import fresh, tensor
from torch.utils.data import Dataset


class SoundDataset(Dataset):
    def __init__(self, *given, **more):
        return None

    def __getitem__(self, index):
        return tensor(scalar=False), fresh("sample rate"), fresh("text"), fresh("speaker")


def __getattr__(name):
    return SoundDataset
