"""`datasets.load_dataset` of Hugging Face for well-known data sets, served by seeded sentences and pictures.

Columns, labels and splits are those of the real ones; sentences are made of words that go with the label, so that a
training has something to learn. A name that is not in the table is loaded as ever, which needs the network or a cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .fake_data import Pictures, generator

PAIRS = {
    "mrpc": ("sentence1", "sentence2"),
    "rte": ("sentence1", "sentence2"),
    "wnli": ("sentence1", "sentence2"),
    "stsb": ("sentence1", "sentence2"),
    "qnli": ("question", "sentence"),
    "qqp": ("question1", "question2"),
    "mnli": ("premise", "hypothesis"),
    "sst2": ("sentence",),
    "cola": ("sentence",),
}
"""Tasks of GLUE and their columns of text."""

GLUE_LABELS = {
    "mrpc": ("not_equivalent", "equivalent"),
    "rte": ("entailment", "not_entailment"),
    "wnli": ("not_entailment", "entailment"),
    "stsb": (),
    "qnli": ("entailment", "not_entailment"),
    "qqp": ("not_duplicate", "duplicate"),
    "mnli": ("entailment", "neutral", "contradiction"),
    "sst2": ("negative", "positive"),
    "cola": ("unacceptable", "acceptable"),
}
"""Names of their labels; stsb has a number from 0 to 5."""

TEXTS = {
    "imdb": ("neg", "pos"),
    "rotten_tomatoes": ("neg", "pos"),
    "ag_news": ("World", "Sports", "Business", "Sci/Tech"),
    "yelp_polarity": ("1", "2"),
    "yelp_review_full": ("1 star", "2 star", "3 stars", "4 stars", "5 stars"),
    "emotion": ("sadness", "joy", "love", "anger", "fear", "surprise"),
}
"""Data sets of one text and one label."""

IMAGES = {
    "mnist": ("image", "label", 28, 1, 10),
    "fashion_mnist": ("image", "label", 28, 1, 10),
    "cifar10": ("img", "label", 32, 3, 10),
    "cifar100": ("img", "fine_label", 32, 3, 100),
    "beans": ("image", "labels", 500, 3, 3),
    "food101": ("image", "label", 384, 3, 101),
}
"""Names of the two columns, side, channels and classes."""

PROSE = ("wikitext", "bookcorpus", "openwebtext", "tiny_shakespeare")
"""Running text: one column called text."""

SPLITS = ("train", "validation", "test")
MNLI_SPLITS = ("train", "validation_matched", "validation_mismatched", "test_matched", "test_mismatched")

WORDS = "the a one some old new red blue house river city story people time hand night light year road song".split()


def install(datasets: Any) -> None:
    """Replace `load_dataset`, if this is the library of that name and not a file of the script's."""
    if not (hasattr(datasets, "load_dataset") and hasattr(datasets, "DatasetDict")):
        return
    load = datasets.load_dataset

    def load_dataset(path: str, name: str | None = None, *arguments: Any, **options: Any) -> Any:
        make = maker(datasets, str(path).split("/")[-1], name)
        if make is None:
            return load(path, name, *arguments, **options)
        # The arguments after these two: data_dir, data_files, split.
        wanted = options.get("split", arguments[2] if len(arguments) > 2 else None)
        if wanted is None:
            splits = MNLI_SPLITS if name == "mnli" else SPLITS
            return datasets.DatasetDict({split: make(split == "train") for split in splits})
        names = wanted if isinstance(wanted, list) else [wanted]
        found = [make(str(item).startswith("train")) for item in names]
        return found if isinstance(wanted, list) else found[0]

    datasets.load_dataset = load_dataset


def maker(datasets: Any, path: str, name: str | None) -> Callable[[bool], Any] | None:
    """What makes one split of a data set, given whether it is the training split; None for one that is not known."""
    if path == "glue" and name in PAIRS:
        return lambda train: make_texts(datasets, f"glue {name}", PAIRS[name], GLUE_LABELS[name], train)
    if path in TEXTS:
        return lambda train: make_texts(datasets, path, ("text",), TEXTS[path], train)
    if path in PROSE:
        return lambda train: make_texts(datasets, path, ("text",), None, train)
    if path in IMAGES:
        return lambda train: make_images(datasets, path, train)
    return None


def make_texts(datasets: Any, name: str, columns: tuple[str, ...], labels: tuple[str, ...] | None, train: bool) -> Any:
    """Sentences in columns, and a label: a class, a number when `labels` is empty, none when it is None."""
    source = Pictures(name, 1, 1, 1, max(2, len(labels or ())), train)
    rows: dict[str, list[Any]] = {column: [] for column in columns}
    for index in range(len(source)):
        label = int(source.labels[index])
        for place, column in enumerate(columns):
            draws = generator(source.seed + index + place * len(source))
            words = [WORDS[draws.randint(len(WORDS))] for _ in range(draws.randint(6, 24))]
            # Which words begin a sentence tells its label.
            rows[column].append(" ".join([WORDS[label], WORDS[label], *words]) + ".")
    features = {column: datasets.Value("string") for column in columns}
    if labels is not None:
        features["label"] = datasets.ClassLabel(names=list(labels)) if labels else datasets.Value("float32")
        rows["label"] = [int(label) if labels else float(label * 5) for label in source.labels]
    if name.startswith("glue"):
        features["idx"], rows["idx"] = datasets.Value("int32"), list(range(len(source)))
    return datasets.Dataset.from_dict(rows, features=datasets.Features(features))


def make_images(datasets: Any, name: str, train: bool) -> Any:
    """Pictures and their labels."""
    image, label, side, channels, classes = IMAGES[name]
    pictures = Pictures(name, side, side, channels, classes, train)
    names = [str(index) for index in range(classes)]
    features = datasets.Features({image: datasets.Image(), label: datasets.ClassLabel(names=names)})
    rows = {
        image: [pictures.image(index) for index in range(len(pictures))],
        label: [int(value) for value in pictures.labels],
    }
    return datasets.Dataset.from_dict(rows, features=features)
