"""What a fake picture of torchvision is labelled with, where it is more than the number of a class."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from .fake_data import generator

CELEBA = {"attr": 40, "bbox": 4, "landmarks": 10}
"""Lengths of CelebA's vectors."""


def make(dataset: Any, index: int) -> Any:
    """The target of one sample, of the type that the data set's own `__getitem__` gives."""
    for base in type(dataset).__mro__:
        if base.__name__ in MAKERS:
            return MAKERS[base.__name__](dataset, index)
    kinds = next((getattr(dataset, key) for key in ("target_types", "target_type") if hasattr(dataset, key)), None)
    if kinds in (None, "category", "binary-category", "full"):
        return dataset.targets[index]
    targets = [mask(dataset, index) if kind == "segmentation" else dataset.targets[index] for kind in as_list(kinds)]
    return targets[0] if len(targets) == 1 else tuple(targets)


def as_list(kinds: Any) -> list[str]:
    """One kind of target, or several, as a list."""
    return [kinds] if isinstance(kinds, str) else list(kinds)


def mask(dataset: Any, index: int) -> Any:
    """A picture of class numbers: the sample's own class inside a box, 0 outside."""
    height, width, _ = dataset.fake.shape
    numbers = sys.modules["numpy"].zeros((height, width), "uint8")
    left, top, right, bottom = box(dataset, index)
    numbers[top:bottom, left:right] = dataset.targets[index]
    return importlib.import_module("PIL.Image").fromarray(numbers)


def box(dataset: Any, index: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the one object in a picture."""
    height, width, _ = dataset.fake.shape
    draws = generator(dataset.fake.seed + index)
    left, top = int(draws.randint(0, width // 2)), int(draws.randint(0, height // 2))
    return left, top, left + width // 3, top + height // 3


def celeba(dataset: Any, index: int) -> Any:
    """Attributes of which the first is the picture's class; a box, landmarks or an identity."""
    torch = sys.modules["torch"]
    targets = []
    for kind in as_list(dataset.target_type):
        if kind == "identity":
            targets.append(torch.tensor(dataset.targets[index]))
            continue
        draws = generator(dataset.fake.seed + index).randint(0, 2 if kind == "attr" else 170, CELEBA[kind])
        if kind == "attr":
            draws[0] = dataset.targets[index]
        targets.append(torch.from_numpy(draws.astype("int64")))
    return tuple(targets) if len(targets) > 1 else (targets or [None])[0]


def coco_objects(dataset: Any, index: int) -> list[dict[str, Any]]:
    """One annotated object."""
    left, top, right, bottom = box(dataset, index)
    width, height = right - left, bottom - top
    return [
        {
            "id": index,
            "image_id": index,
            "category_id": dataset.targets[index] + 1,
            "bbox": [left, top, width, height],
            "area": width * height,
            "iscrowd": 0,
            "segmentation": [[left, top, right, top, right, bottom, left, bottom]],
        }
    ]


def coco_captions(dataset: Any, index: int) -> list[str]:
    """Five sentences that tell the class."""
    return [f"a picture of thing number {dataset.targets[index]}"] * 5


def voc_objects(dataset: Any, index: int) -> dict[str, Any]:
    """The annotation file of one picture as a dictionary; its numbers are text, as there."""
    left, top, right, bottom = box(dataset, index)
    height, width, depth = dataset.fake.shape
    place = {"xmin": str(left), "ymin": str(top), "xmax": str(right), "ymax": str(bottom)}
    thing = {"name": dataset.class_names[dataset.targets[index]], "bndbox": place, "difficult": "0", "truncated": "0"}
    size = {"width": str(width), "height": str(height), "depth": str(depth)}
    return {"annotation": {"filename": f"{index:06d}.jpg", "size": size, "object": [thing]}}


MAKERS: dict[str, Callable[[Any, int], Any]] = {
    "CelebA": celeba,
    "VOCSegmentation": mask,
    "VOCDetection": voc_objects,
    "SBDataset": mask,
    "Cityscapes": mask,
    "CocoCaptions": coco_captions,
    "CocoDetection": coco_objects,
    "LSUNClass": lambda dataset, index: None,
}
"""By the name of the class, the most special first in a class's own order."""
