"""timm.data: data sets, loaders, transforms and mixing."""

from meaning import combine, fresh
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import Compose

IMAGENET_DEFAULT_MEAN = IMAGENET_DEFAULT_STD = IMAGENET_INCEPTION_MEAN = IMAGENET_INCEPTION_STD = (0.5, 0.5, 0.5)


def create_transform(*given, **more):
    return Compose()


def create_dataset(name, root=None, *given, **more):
    return ImageFolder(root)


def create_loader(dataset, *given, **more):
    return DataLoader(dataset)


class Mixup:
    def __init__(self, *given, **more):
        self.mixup_enabled = True

    def __call__(self, images, target):
        return combine(images), combine(target)


def resolve_data_config(*given, **more):
    return fresh("data settings")
