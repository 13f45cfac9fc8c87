"""The real scripts that `third_party` proves: where they are from, how they are run, what there is to say of them."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SOURCES = {
    "pytorch_examples": ("pytorch/examples", "77f55b912142"),
    "examples_2024-01-01": ("pytorch/examples", "30b310a977a8"),
    "examples_2022-06-30": ("pytorch/examples", "d5478765d382"),
    "examples_2017-12-31": ("pytorch/examples", "e23a9b4aeaf3"),
    "karpathy_nanoGPT": ("karpathy/nanoGPT", "3adf61e154c3"),
    "karpathy_minGPT": ("karpathy/minGPT", "37baab71b9ab"),
    "yunjey_pytorch-tutorial": ("yunjey/pytorch-tutorial", "0500d3df5a2a"),
    "weiaicunzai_pytorch-cifar100": ("weiaicunzai/pytorch-cifar100", "11d8418f415b"),
    "bearpaw_pytorch-classification": ("bearpaw/pytorch-classification", "24f1c456f48c"),
    "tczhangzhi_pytorch-distributed": ("tczhangzhi/pytorch-distributed", "cd1285642085"),
}
"""By folder: the repository on GitHub, and the commit."""

BOTH = ("torch-xla", "smtc")
ACCELERATOR = ("torch-xla",)
"""For originals that use torch.accelerator: the torch of `smtc` has none."""


def prepare_nothing(root: Path, python: Path) -> None:
    """For a script that needs no files."""


def make_text(root: Path, python: Path) -> None:
    """Short texts for the word language model, cut from its validation text (the archive has no train.txt)."""
    folder = root / "data" / "wikitext-2"
    lines = [line for line in (folder / "valid.txt").read_text(encoding="utf-8").splitlines() if len(line) > 200]
    for name, first, last in (("train", 0, 8), ("valid", 8, 10), ("test", 10, 12)):
        (folder / f"{name}.txt").write_text("\n".join(lines[first:last]) + "\n", encoding="utf-8")


def make_shakespeare(root: Path, python: Path) -> None:
    """A text of random words in place of the download, then the repository's own preparation."""
    folder = root / "data" / "shakespeare_char"
    words, chooser = ["the", "king", "is", "dead", "long", "live", "queen", "of", "all"], random.Random(0)
    text = "\n".join(" ".join(chooser.choice(words) for _ in range(8)) for _ in range(600))
    (folder / "input.txt").write_text(text, encoding="utf-8")
    # It asks for `requests` only to download.
    subprocess.run([str(python), "prepare.py"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def make_pictures(root: Path, python: Path) -> None:
    """Random pictures in place of the download of super_resolution."""
    code = (
        "import sys, numpy, PIL.Image\nfor i in range(16):\n    numpy.random.seed(i)\n"
        "    a = numpy.random.randint(0, 256, (96, 96, 3), 'uint8')\n"
        "    PIL.Image.fromarray(a).save(f'{sys.argv[1]}/{i}.jpg')\n"
    )
    for folder in ("train", "test"):
        pictures = root / "dataset" / "BSDS300" / "images" / folder
        pictures.mkdir(parents=True)
        subprocess.run([str(python), "-c", code, str(pictures)], check=True)


@dataclass(frozen=True)
class Entry:
    """One script and how it is run."""

    source: str
    path: str
    arguments: str = ""
    steps: int = 4
    targets: tuple[str, ...] = BOTH
    prepare: Callable[[Path, Path], None] = prepare_nothing
    """Makes the data, in a copy of the project, with the interpreter that will run the script."""
    seconds: float = 240.0
    remark: str = ""
    """What there is to say; one that is not proved has to have it."""

    @property
    def root(self) -> str:
        """The folder that is the script's project: its own."""
        return str(Path(self.path).parent)


HEAD, Y2024, Y2022, Y2017 = list(SOURCES)[:4]
SMALL_TEXT = "--epochs 1 --nlayers 1 --emsize 16 --nhid 16 --bptt 5 --batch_size 4"
SMALL_PICTURES = "--upscale_factor 3 --batchSize 4 --nEpochs 1"
ZERO = "Its loss is the cross entropy over a single class."
TIED = (
    "`model.py` ties two weights in `__init__`, and the move in `train.py` would part them: they are tied again there. "
    "For smtc it asks CUDA for bfloat16, which note TC146 says."
)
TUTORIAL = "yunjey_pytorch-tutorial"

ENTRIES = (
    Entry(HEAD, "mnist/main.py", "--batch-size 32 --test-batch-size 128 --lr 0.05 --epochs 2", 34, ACCELERATOR),
    Entry(Y2024, "mnist/main.py", "--batch-size 32 --epochs 1", 8),
    Entry(Y2022, "mnist/main.py", "--batch-size 32 --epochs 1", 8),
    Entry(Y2017, "mnist/main.py", "--batch-size 32 --epochs 1", 8),
    Entry(HEAD, "vae/main.py", "--batch-size 64 --epochs 2", 20, ACCELERATOR),
    Entry(Y2024, "vae/main.py", "--batch-size 64 --epochs 2", 20),
    Entry(Y2022, "vae/main.py", "--batch-size 64 --epochs 2", 20),
    Entry(Y2017, "vae/main.py", "--batch-size 64 --epochs 2", 20),
    Entry(HEAD, "dcgan/main.py", "--dataset fake --batchSize 4 --imageSize 64 --ngf 4 --ndf 4 --niter 1 --accel", 4,
          ACCELERATOR),
    Entry(Y2022, "dcgan/main.py", "--dataset fake --batchSize 4 --ngf 4 --ndf 4 --niter 1 --cuda", 4),
    Entry(Y2017, "dcgan/main.py", "--dataset cifar10 --dataroot x --batchSize 4 --ngf 4 --ndf 4 --niter 1 --cuda", 4),
    Entry(Y2022, "imagenet/main.py", "data -a alexnet -b 2 --epochs 1 -p 1", 3),
    Entry(HEAD, "mnist_rnn/main.py", "--batch-size 32 --epochs 1", 8),
    Entry(HEAD, "mnist_forward_forward/main.py", "--epochs 4 --train_size 200 --test_size 50", 8, ACCELERATOR),
    Entry(Y2024, "mnist_forward_forward/main.py", "--epochs 4 --train_size 200 --test_size 50", 8),
    Entry(HEAD, "word_language_model/main.py", f"--accel {SMALL_TEXT}", 8, ACCELERATOR, prepare=make_text),
    Entry(HEAD, "word_language_model/main.py", f"--accel --use-optimizer --lr 0.01 {SMALL_TEXT}", 8, ACCELERATOR,
          prepare=make_text, remark="A graph in each step: the batch is a slice at another place of a long tensor."),
    # torch 2.6 and later do not load the whole model that it saves.
    Entry(Y2022, "word_language_model/main.py", f"--cuda {SMALL_TEXT}", 8, ("smtc",), prepare=make_text),
    Entry(HEAD, "super_resolution/main.py", f"--accel {SMALL_PICTURES}", 4, ACCELERATOR, prepare=make_pictures),
    Entry(Y2022, "super_resolution/main.py", f"--cuda {SMALL_PICTURES}", 4, ("smtc",), prepare=make_pictures,
          remark="torch_xla 2.1 has no pixel_shuffle without functionalization, and 2.1 stands for 1.13 without it."),
    Entry(Y2017, "super_resolution/main.py", f"--cuda {SMALL_PICTURES}", 4, ("torch-xla",), prepare=make_pictures),
    Entry(HEAD, "distributed/ddp-tutorial-series/single_gpu.py", "1 1", 8, remark=ZERO),
    Entry(HEAD, "distributed/ddp-tutorial-series/multigpu.py", "1 1", 8, remark=ZERO),
    Entry(HEAD, "distributed/ddp-tutorial-series/multigpu_torchrun.py", "1 1", 8, remark=ZERO),
    Entry(TUTORIAL, "tutorials/01-basics/feedforward_neural_network/main.py", "", 8),
    Entry(TUTORIAL, "tutorials/02-intermediate/convolutional_neural_network/main.py", "", 8),
    Entry(TUTORIAL, "tutorials/03-advanced/variational_autoencoder/main.py", "", 10),
    Entry(TUTORIAL, "tutorials/03-advanced/generative_adversarial_network/main.py", "", 10),
    Entry("weiaicunzai_pytorch-cifar100", "train.py", "-net squeezenet -gpu -b 4 -warm 0", 3, ("torch-xla",),
          remark="On two busy cores: convolutions of torch_xla are slow on the CPU."),
    Entry("karpathy_nanoGPT", "train.py",
          "config/train_shakespeare_char.py --compile=False --n_layer=2 --n_head=2 --n_embd=32 --block_size=32 "
          "--batch_size=4 --gradient_accumulation_steps=2 --eval_iters=2 --max_iters=6 --dtype=float32", 6,
          prepare=make_shakespeare, remark=TIED),
    Entry("tczhangzhi_pytorch-distributed", "dataparallel.py", "--data data -a alexnet -b 2 --epochs 1", 3,
          ("torch-xla",), remark="Its `accuracy` takes a `view` that torch 1.7 and later refuse; on XLA it runs."),
)  # fmt: skip
