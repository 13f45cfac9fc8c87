"""torchvision.datasets: samples are an image and what it shows."""

from meaning import fresh, tensor
from torch.utils.data import Dataset


class VisionDataset(Dataset):
    def __init__(self, root=None, *given, transform=None, target_transform=None, **more):
        self.root = root
        self.transform = transform
        self.target_transform = target_transform
        self.classes = [fresh("class")]
        self.class_to_idx = {fresh("class"): fresh("index")}
        self.samples = self.imgs = [(fresh("path"), fresh("class"))]
        self.targets = fresh("targets")
        self.data = tensor(scalar=False)

    def __getitem__(self, index):
        return tensor(scalar=False), fresh("class")


class ImageFolder(VisionDataset):
    def loader(self, path):
        return fresh("image")


def __getattr__(name):
    return VisionDataset
