"""The data sets of torchvision, served by fake pictures (see `fake_data`).

The classes stay, so that subclasses and `isinstance` hold: only what reads or downloads files is replaced. Data sets
that keep their pictures in memory (`.data`, `.targets`) get such arrays and keep their own `__getitem__`; the others
make each picture when it is asked for. `ImageFolder` reads a folder of JPEGs made for it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import fake_targets
from .fake_data import Pictures, fill_folder
from .fake_names import CLASS_NAMES

IN_MEMORY = {
    "CIFAR10": (32, 32, 3, 10),
    "CIFAR100": (32, 32, 3, 100),
    "SVHN": (32, 32, 3, 10),
    "STL10": (96, 96, 3, 10),
    "USPS": (16, 16, 1, 10),
    "SEMEION": (16, 16, 1, 10),
}
"""Height, width, channels and classes of those with arrays."""

FROM_FILES = {
    "ImageNet": (375, 500, 3, 1000),
    "Imagenette": (375, 500, 3, 10),
    "Places365": (256, 256, 3, 365),
    "Food101": (384, 512, 3, 101),
    "Flowers102": (500, 600, 3, 102),
    "OxfordIIITPet": (375, 500, 3, 37),
    "Caltech101": (200, 300, 3, 101),
    "Caltech256": (300, 400, 3, 257),
    "StanfordCars": (375, 500, 3, 196),
    "FGVCAircraft": (375, 500, 3, 100),
    "DTD": (375, 500, 3, 47),
    "GTSRB": (40, 40, 3, 43),
    "EuroSAT": (64, 64, 3, 10),
    "Country211": (375, 500, 3, 211),
    "SUN397": (375, 500, 3, 397),
    "INaturalist": (375, 500, 3, 10_000),
    "FER2013": (48, 48, 1, 7),
    "PCAM": (96, 96, 3, 2),
    "RenderedSST2": (448, 448, 3, 2),
    "Omniglot": (105, 105, 1, 964),
    "LFWPeople": (250, 250, 3, 5749),
    "LSUN": (256, 341, 3, 10),
    "LSUNClass": (256, 341, 3, 1),
    "CelebA": (218, 178, 3, 2),
    "VOCSegmentation": (375, 500, 3, 21),
    "VOCDetection": (375, 500, 3, 20),
    "SBDataset": (375, 500, 3, 21),
    "Cityscapes": (512, 1024, 3, 34),
    "CocoDetection": (480, 640, 3, 90),
    "CocoCaptions": (480, 640, 3, 90),
}
"""The same of those that open a file per picture; a usual size where sizes differ."""

FOLDER_CLASSES = 10
"""Classes of an `ImageFolder` whose folder does not exist; those of one that does are its own."""


def install(datasets: Any) -> None:
    """Replace what reads files in the classes of `torchvision.datasets`."""
    serve_mnist(datasets)
    for name, pictures in IN_MEMORY.items():
        if hasattr(datasets, name):
            serve(getattr(datasets, name), datasets.VisionDataset, name, pictures, keep_arrays)
    for name, pictures in FROM_FILES.items():
        if hasattr(datasets, name):
            served = getattr(datasets, name)
            serve(served, datasets.VisionDataset, name, pictures, keep_labels)
            served.__getitem__, served.__len__ = get_item, count_items
    serve_folder(datasets.ImageFolder)


def serve(
    served: Any, base: Any, name: str, pictures: tuple[int, int, int, int], fill: Callable[[Any, Pictures], None]
) -> None:
    """Replace the constructor of one class. It takes the same arguments and raises TypeError for others."""
    signature = inspect.signature(served.__init__)
    # ImageNet and Imagenette hand some of theirs on.
    open_ended = any(item.kind is item.VAR_KEYWORD for item in signature.parameters.values())

    @functools.wraps(served.__init__)
    def start(self: Any, *arguments: Any, **options: Any) -> None:
        bound = signature.bind(self, *arguments, **options)
        bound.apply_defaults()
        given = {**bound.arguments, **(bound.arguments.get("kwargs", {}) if open_ended else {})}
        transforms = {key: given[key] for key in ("transform", "target_transform", "transforms") if key in given}
        base.__init__(self, given.get("root", ""), **transforms)
        for key, value in given.items():
            if key not in ("self", "root", "download", "kwargs", *transforms):
                setattr(self, key, value)
                setattr(self, f"_{key}", value)  # as some call it, and print in their `repr`
        self.fake = Pictures(name, *pictures, train=is_training(given))
        self.class_names = CLASS_NAMES.get(name) or [f"class_{index:04d}" for index in range(pictures[3])]
        fill(self, self.fake)

    served.__init__ = start


def is_training(given: dict[str, Any]) -> bool:
    """Whether the arguments ask for the training split, by any of the names it goes by."""
    if isinstance(given.get("train"), bool):
        return bool(given["train"])
    split = next((given[key] for key in ("split", "image_set", "classes", "mode", "version") if key in given), "train")
    first = split[0] if isinstance(split, (list, tuple)) and split else split
    return not any(word in str(first) for word in ("val", "test")) or str(first) == "trainval"


def name_classes(self: Any) -> None:
    """`classes` and `class_to_idx`, unless a list of classes was an argument (LSUN)."""
    if not isinstance(vars(self).get("classes"), list):
        self.classes = self.class_names
    self.class_to_idx = {name: index for index, name in enumerate(self.class_names)}


def keep_arrays(self: Any, pictures: Pictures) -> None:
    """Put the pictures into memory, in the layout the class itself reads."""
    name_classes(self)
    arrays, labels = pictures.arrays(), pictures.labels
    if hasattr(type(self), "base_folder") and "cifar" in type(self).base_folder:
        self.data, self.targets = arrays, [int(label) for label in labels]
    elif pictures.shape[2] == 1:
        self.data, self.targets = arrays[:, :, :, 0], [int(label) for label in labels]
        self.labels = labels
    else:
        self.data, self.labels = arrays.transpose(0, 3, 1, 2), labels.astype("int64")
        if "unlabeled" in str(getattr(self, "split", "")).split("+")[0]:
            self.labels = None


def keep_labels(self: Any, pictures: Pictures) -> None:
    """The labels, under the names that scripts know; the pictures are made when asked for."""
    name_classes(self)
    self.targets = self.labels = self._labels = [int(label) % len(self.classes) for label in pictures.labels]
    names = [f"{index:06d}.jpg" for index in range(len(pictures))]
    self.samples = self.imgs = list(zip(names, self.targets))
    self.ids = list(range(len(pictures)))


def get_item(self: Any, index: int) -> Any:
    """One sample: picture and target, transformed."""
    index = range(len(self.fake))[int(index)]
    image, target = self.fake.image(index), fake_targets.make(self, index)
    return self.transforms(image, target) if self.transforms is not None else (image, target)


def count_items(self: Any) -> int:
    """The number of samples."""
    return len(self.fake)


def serve_mnist(datasets: Any) -> None:
    """MNIST and its relatives: their own constructors, with other numbers behind them."""
    torch = sys.modules["torch"]

    def load(self: Any) -> Any:
        # EMNIST's letters are numbered from 1.
        first = 1 if self.classes[0] == "N/A" or getattr(self, "split", "") == "letters" else 0
        classes = len(getattr(self, "classes_split_dict", {}).get(getattr(self, "split", ""), self.classes)) - first
        pictures = Pictures(type(self).__name__, 28, 28, 1, classes, self.train)
        targets = torch.from_numpy(pictures.labels.astype("int64")) + first
        if hasattr(self, "compat"):  # QMNIST: the class is the first of eight columns
            targets = torch.nn.functional.pad(targets[:, None], (0, 7))
        return torch.from_numpy(pictures.arrays()[:, :, :, 0].copy()), targets

    for name in ("MNIST", "FashionMNIST", "KMNIST", "EMNIST", "QMNIST"):
        served = getattr(datasets, name)
        served.download = lambda self: None
        served._check_exists = lambda self: True
        served._check_legacy_exist = lambda self: False
        served._load_data = load


def serve_folder(image_folder: Any) -> None:
    """`ImageFolder`: its own constructor, on a folder made for it."""
    start = image_folder.__init__

    def start_on_pictures(self: Any, root: Any, *arguments: Any, **options: Any) -> None:
        start(self, make_folder(root), *arguments, **options)

    image_folder.__init__ = start_on_pictures


def make_folder(root: Any) -> str:
    """A folder of pictures with the classes of `root`, or with ten of our own; the same one each time."""
    root = os.path.abspath(os.path.expanduser(root))
    path = Path(tempfile.gettempdir()) / "fake-data" / root.lstrip(os.sep)
    if not path.exists():
        names = sorted(entry.name for entry in os.scandir(root) if entry.is_dir()) if os.path.isdir(root) else []
        names = names or [f"class_{index}" for index in range(FOLDER_CLASSES)]
        train = not any(word in os.path.basename(root).lower() for word in ("val", "test"))
        scratch = Path(tempfile.mkdtemp(prefix="fake-"))
        fill_folder(scratch, "ImageFolder", names, train)
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # another worker was first
            scratch.rename(path)
    return str(path)
