"""Fake data: a training set and a test set of each kind, asked from inside a child process on two torchvisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Run, Side
from migrate.smoke.run import Job, Limits, run

pytestmark = pytest.mark.real_xla

TRAINED = "\ntorch.nn.Linear(1, 1)(torch.ones(1, 1)).sum().backward()\n"
"""Something has to be differentiated for a run to count as a training."""

IN_MEMORY = """\
import os, torch
from torchvision import datasets, transforms
to_tensor = transforms.ToTensor()
SHAPES = {"MNIST": (1, 28, 28), "FashionMNIST": (1, 28, 28), "KMNIST": (1, 28, 28), "QMNIST": (1, 28, 28),
          "CIFAR10": (3, 32, 32), "CIFAR100": (3, 32, 32), "USPS": (1, 16, 16)}
for name, shape in SHAPES.items():
    kind = getattr(datasets, name)
    train = kind("/nowhere", train=True, download=True, transform=to_tensor)
    test = kind("/nowhere", False, to_tensor, lambda label: label + 1000) if name != "QMNIST" else train
    image, label = train[3]
    assert isinstance(train, kind) and image.shape == shape and type(label) is int, (name, image.shape, label)
    assert len(train) == len(train.data) == len(train.targets) == 1024
    assert name == "QMNIST" or (len(test) == 256 and test[0][1] >= 1000)
    again = kind("/elsewhere", train=True, transform=to_tensor)
    assert torch.equal(again[3][0], image) and not torch.equal(train[4][0], image)
    assert {int(label) for _, label in train} == set(range(100 if name == "CIFAR100" else 10)), name
assert datasets.CIFAR10("x").classes[:2] == ["airplane", "automobile"]
assert datasets.CIFAR100("x").class_to_idx["worm"] == 99 and datasets.MNIST("x").classes[3] == "3 - three"
for split, classes, first in (("letters", 27, 1), ("balanced", 47, 0), ("digits", 10, 0)):
    letters = datasets.EMNIST("x", split, train=True, download=True)
    assert (len(letters.classes), int(letters.targets.min())) == (classes, first)
    assert int(letters.targets.max()) == classes - 1
for name, side in (("SVHN", 32), ("STL10", 96)):
    images = getattr(datasets, name)("x", split="test", download=True)
    assert images.data.shape == (256, 3, side, side) and images[5][0].mode == "RGB" and images[5][1] == images.labels[5]
assert not os.path.exists("/nowhere") and not os.listdir(".")[1:]
class Pairs(datasets.CIFAR10):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.other = self.data[::-1]
    def __getitem__(self, index):
        return super().__getitem__(index), self.other[index]
assert Pairs("x", train=False, transform=to_tensor)[0][1].shape == (32, 32, 3)
"""

FROM_FILES = """\
import torch
from torchvision import datasets, models, transforms
to_tensor = transforms.ToTensor()
CLASSES = {"ImageNet": 1000, "Places365": 365, "Food101": 101, "Flowers102": 102, "OxfordIIITPet": 37,
           "StanfordCars": 196, "DTD": 47, "GTSRB": 43, "EuroSAT": 10, "FER2013": 7, "PCAM": 2, "SUN397": 397,
           "Caltech101": 101}
for name, classes in CLASSES.items():
    kind = getattr(datasets, name)
    images = kind("/nowhere", transform=to_tensor, target_transform=lambda label: -label)
    image, label = images[-1]
    assert image.dim() == 3 and 0 <= -label < classes == len(images.classes), (name, label)
    assert len(images) == 1024 and name in repr(images)
try:
    images[1024]
except IndexError:
    pass
else:
    raise AssertionError("a loop over the data set has no end")
image, (label, mask) = datasets.OxfordIIITPet("x", target_types=["category", "segmentation"])[0]
assert mask.size == image.size and mask.mode == "L"
_, (attributes, box) = datasets.CelebA("x", target_type=["attr", "bbox"])[0]
assert attributes.shape == (40,) and box.shape == (4,)
image, mask = datasets.VOCSegmentation("x", image_set="val")[0]
assert mask.size == image.size
assert datasets.VOCDetection("x")[0][1]["annotation"]["object"][0]["name"]
assert {"bbox", "category_id"} <= set(datasets.CocoDetection("x", "annotations.json")[0][1][0])
assert len(datasets.CocoCaptions("x", "annotations.json")[0][1]) == 5
bedrooms = datasets.LSUN("x", classes=["bedroom_train"])
assert {bedrooms[i][1] for i in range(20)} == {0}
small = transforms.Compose([transforms.Resize(8), to_tensor])
train, val = datasets.ImageFolder("/data/imagenet/train", small), datasets.ImageFolder("/data/imagenet/val", small)
assert (len(train), len(val), len(train.classes)) == (1024, 256, 10) and train[0][0].shape == (3, 8, 8)
first, second = (torch.stack([val[i][0] for i, t in enumerate(val.targets) if t == c]) for c in (0, 1))
assert (first.mean(0) - second.mean(0)).abs().mean() > 4 * (first[:9].mean(0) - first[9:].mean(0)).abs().mean()
import os
os.makedirs("pets/cats"); os.makedirs("pets/dogs")
assert datasets.ImageFolder("pets").classes == ["cats", "dogs"], "a folder that exists names its classes"
torch.manual_seed(3)
model = models.resnet18(weights="IMAGENET1K_V1")
torch.manual_seed(3)
assert torch.equal(model.conv1.weight, models.resnet18().conv1.weight), "the weights it was built with"
"""

UNTOUCHED = """\
import random, numpy, torch
from torchvision import datasets
states = random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
datasets.CIFAR10("x")[0]; datasets.ImageFolder("x")[0]; datasets.Food101("x")[0]
assert (random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state().tolist()) == states
"""

HUGGING_FACE = """\
import torch, datasets
glue = datasets.load_dataset("glue", "mrpc")
assert set(glue) == {"train", "validation", "test"} and len(glue["train"]) == 1024
row = glue["train"][0]
assert set(row) == {"sentence1", "sentence2", "label", "idx"} and row["sentence1"] != row["sentence2"]
assert glue["train"].features["label"].names == ["not_equivalent", "equivalent"]
assert set(datasets.load_dataset("glue", "mnli")) >= {"validation_matched", "validation_mismatched"}
assert set(datasets.load_dataset("imdb", split="train[:10%]")[3]) == {"text", "label"}
assert datasets.load_dataset("Salesforce/wikitext", "wikitext-2-raw-v1", split="train").column_names == ["text"]
train, test = datasets.load_dataset("cifar10", split=["train", "test"])
assert test[0]["img"].size == (32, 32) and len(test) == 256
"""

LEARNS = """\
import torch, torchvision
data = torchvision.datasets.CIFAR10("x", transform=torchvision.transforms.ToTensor())
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3072, 10)).cuda()
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for images, labels in torch.utils.data.DataLoader(data, 64, shuffle=True):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda()).backward()
    optimizer.step()
"""


def ask(text: str, environment: Environment, folder: Path, fake_data: bool = True) -> Run:
    script = folder / "questions.py"
    script.write_text(text)
    return run(Job(script, Side.CUDA, environment, fake_data=fake_data, limits=Limits(seconds=120)))


@pytest.mark.parametrize("version", ["2.1", "2.9"])
@pytest.mark.parametrize("text", [IN_MEMORY, FROM_FILES, UNTOUCHED], ids=["in_memory", "from_files", "untouched"])
def test_data_sets(text: str, version: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask(text + TRAINED, environment(version), tmp_path)
    assert ran.ok, ran.output


def test_there_is_something_to_learn(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask(LEARNS, environment("2.9"), tmp_path)
    losses = [loss for _, loss in ran.first.losses]
    assert len(losses) == 16, ran.output
    assert losses[-1] < losses[0] / 4


def test_only_when_asked_for(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask("import torchvision; torchvision.datasets.CIFAR10('x')", environment("2.9"), tmp_path, fake_data=False)
    assert not ran.ok
    assert "Dataset not found" in ran.output


def test_hugging_face(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask(HUGGING_FACE + TRAINED, environment("2.9"), tmp_path)
    if "No module named 'datasets'" in ran.output:
        pytest.skip("the environment is without Hugging Face's datasets")
    assert ran.ok, ran.output


def test_a_file_of_the_script_called_datasets(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    (tmp_path / "datasets.py").write_text("def load_dataset(name):\n    return 'my own'\n")
    ran = ask(
        f"import torch, datasets; assert datasets.load_dataset('imdb') == 'my own'{TRAINED}",
        environment("2.9"),
        tmp_path,
    )
    assert ran.ok, ran.output
