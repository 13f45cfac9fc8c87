"""Fake data for scripts whose data sets are not at hand: `tc-migrate smoke --fake-data`.

The data sets of torchvision are served by seeded pictures of the right size and mode, with the right number of classes,
and far fewer of them; nothing is downloaded and no folder has to exist. Each class has a pattern of its own under the
noise, so that a training has something to learn. Transforms run as ever. Both sides see the same pictures: they depend
on the data set, the split and the index alone, and drawing them touches no generator that the script uses.

Weights from torch.hub, which a `pretrained=True` or `weights=` asks for, are not fetched either: the model keeps the
random weights it was built with. A script that looks into the downloaded weights finds none.

Out of reach: files that a script opens by itself (`np.memmap("train.bin")`, a CSV), tokenizers and models of the
Hugging Face hub, and torchvision's video, flow and stereo data sets.
"""

from __future__ import annotations

import importlib
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRAIN, OTHER = 1024, 256
"""Samples in a training set, and in a validation or test set: a few batches, and an epoch ends soon."""


def register(callbacks: dict[str, Callable[[Any], None]]) -> None:
    """Say what happens after which library was imported."""

    def serve_torchvision(datasets: Any) -> None:
        from . import fake_torchvision

        fake_torchvision.install(datasets)

    def serve_hugging_face(datasets: Any) -> None:
        from . import fake_hugging_face

        fake_hugging_face.install(datasets)

    callbacks["torchvision.datasets"] = serve_torchvision
    callbacks["datasets"] = serve_hugging_face


class Pictures:
    """The fake pictures of one split of one data set, made when they are asked for."""

    def __init__(self, name: str, height: int, width: int, channels: int, classes: int, train: bool) -> None:
        """`channels` is 1 or 3; the pictures of both splits of a data set `name` share the patterns of its classes."""
        self.shape = (height, width, channels)
        self.classes = classes
        self.length = TRAIN if train else OTHER
        self.seed = zlib.crc32(f"{name} {'train' if train else 'other'}".encode())
        patterns = generator(zlib.crc32(name.encode())).randint(40, 216, (classes, 4, 4, channels))
        self.patterns = patterns.astype("float32")
        # Every class in turn, then shuffled: each has its share, however few there are of it.
        self.labels = generator(self.seed).permutation(self.length) % classes

    def __len__(self) -> int:
        return self.length

    def array(self, index: int) -> Any:
        """One picture: numpy's uint8, height x width x channels."""
        height, width, _ = self.shape
        noise = generator(self.seed + 1 + index).normal(0.0, 32.0, self.shape).astype("float32")
        pattern = self.patterns[self.labels[index]]
        rows = [row * 4 // height for row in range(height)]
        columns = [column * 4 // width for column in range(width)]
        return (pattern[rows][:, columns] + noise).clip(0, 255).astype("uint8")

    def image(self, index: int) -> Any:
        """One picture as PIL has it: mode "L" or "RGB"."""
        array = self.array(index)
        return importlib.import_module("PIL.Image").fromarray(array[:, :, 0] if self.shape[2] == 1 else array)

    def arrays(self) -> Any:
        """All pictures: numpy's uint8, number x height x width x channels."""
        return sys.modules["numpy"].stack([self.array(index) for index in range(self.length)])


def generator(seed: int) -> Any:
    """A generator of numpy's with a seed of its own; numpy is there wherever torchvision is."""
    return sys.modules["numpy"].random.RandomState(seed % 2**32)


def fill_folder(folder: Path, name: str, class_names: list[str], train: bool) -> Path:
    """Write a folder with one sub-folder of pictures per class, as `ImageFolder` reads it; `folder` itself is returned.

    Eight files per class, which the others are links to: writing a thousand would take seconds.
    """
    pictures = Pictures(name, 256, 256, 3, len(class_names), train)
    first: dict[int, list[Path]] = {}
    for index in range(len(pictures)):
        label = int(pictures.labels[index])
        path = folder / class_names[label] / f"{index:05d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        files = first.setdefault(label, [])
        if len(files) < 8:
            pictures.image(index).save(path, quality=90)
            files.append(path)
        else:
            path.symlink_to(files[index % 8].name)
    return folder


def keep_random_weights(torch: Any) -> None:
    """Let `load_state_dict_from_url` give weights that, when loaded, leave a model as it is."""

    class NoWeights(dict):  # type: ignore[type-arg]
        """What stands for a download."""

    load = torch.nn.Module.load_state_dict

    def load_unless_fake(self: Any, state_dict: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(state_dict, NoWeights):
            return load(self, self.state_dict(), *arguments, **options)
        return load(self, state_dict, *arguments, **options)

    def load_state_dict_from_url(url: str, *arguments: Any, **options: Any) -> NoWeights:
        print(f"tc-migrate: random weights stand for {url}", file=sys.stderr)
        return NoWeights()

    torch.nn.Module.load_state_dict = load_unless_fake
    torch.hub.load_state_dict_from_url = load_state_dict_from_url
