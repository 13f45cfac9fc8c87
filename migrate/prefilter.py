"""A look at a file's bytes that tells, before any parser, whether the migration can have anything to do with it.

Most files of a repository have no CUDA use: they must cost a read and nothing else. The words are a wide net. Which
files pass it is checked against the migration itself, over every golden (`tests/test_prefilter.py`).
"""

from __future__ import annotations

import re
from enum import IntEnum

PACKAGES = ("accelerate", "amp_C", "apex", "apex_C", "colossalai", "composer", "deepspeed", "fairscale", "fastai",
            "horovod", "ignite", "lightning", "megatron", "megatron_core", "nvidia", "pytorch_lightning",
            "smdistributed", "torch_xla", "transformers")  # fmt: skip
"""Libraries whose use is spoken of even where nothing else shows CUDA."""
# A pattern that begins with a word is looked for ten times as fast as one that begins with a choice.
_CALLS = re.compile(rb"\.(?:backward|step|to|numpy|(?:named_)?parameters)\(")
_IMPORTED = tuple(re.compile(rf"{word}\s+(?:{'|'.join(PACKAGES)})\b".encode()) for word in ("import", "from"))
_ASKS = re.compile(
    rb"cuda|device|\.to\(|pin_memory|accelerator|cudnn|distributed|arallel|\bamp\b|autocast|SyncBatchNorm|spawn|_mp_fn"
    rb"|\.step\(|\.(?:weight|bias) = self|Trainer"
)
_LAUNCHES = re.compile(rb"\b(?:PyTorch|HuggingFace|TensorFlow|Estimator|ModelTrainer|create_training_job)\b")
"""What starts a training job, in a file that speaks of SageMaker."""
_COPIES = re.compile(rb"aws\W{1,5}s3\b")
"""What copies checkpoints to S3 by the command line of AWS."""
_STARTS = re.compile(rb"\b(?:LOCAL_RANK|WORLD_SIZE)\b|--local[_-]rank\b")
"""What a launcher of its own tells the processes that it starts."""
_RANKS = re.compile(rb"[\"'](?:\w*RANK|\w*WORLD_SIZE|PMI_SIZE|SLURM_\w+)[\"']")
"""Variables of the environment that say which process this is."""
_WRITES = re.compile(rb"open\([^\n]*[\"'][wax]")
_ACTS = (b"rmtree", b"mkdir", b"makedirs", b"os.rename", b"os.remove", b"unlink", b"shutil", b"input(", b"savefig",
         b"imwrite", b"imsave", b"mimsave", b"savez", b"np.save", b"to_csv", b"write_text", b"FileHandler",
         b"SummaryWriter", b"save_image", b"ffmpeg", b"parse_args", b"__main__",
         b"basicConfig", b"hasHandlers", b".handlers")  # fmt: skip
"""What a helper does once for the one process that there was, and each process does now; what starts a program; what
sets the log up, which the import of torch_xla has done by then."""
_OF_A_VERSION = re.compile(
    rb"\| None\b|\b(?:list|dict|tuple|set|type)\[|TypeAlias|ParamSpec|\bSelf\b|\bNever\b|StrEnum|pairwise|tomllib|"
    rb"zoneinfo|slots=|strict=|kw_only|remove(?:pre|suf)fix|\n[ \t]*match |functools|time\.clock|fractions|"
    rb"collections(?:\.| import [^\n]*)(?:Mapping|Mutable|Sequence|Itera|Callable|Hashable|Sized|Container|Set\b)"
)
"""What one Python has and another does not, in a helper that training imports."""
_MAKES = re.compile(rb"\b(?:def|class) \w*(?:[mM]odel|[nN]et|[tT]rainer|[aA]gent|[sS]olver|[lL]earner)\w*\(")
"""What gives whoever trains an object of a class that it imports, or derives from one, and has no word of torch."""
_NO_SCRIPT = (b"\xff\xfe", b"\xfe\xff")


class Look(IntEnum):
    """What the bytes of a file show."""

    NOTHING = 0
    """No word of training on an accelerator."""
    PART = 1
    """It may be a part of a training program: a model, a loop, or what hands them on."""
    ASKS = 2
    """It may ask for an accelerator. A program none of whose files does stays as it is."""


def look(path: str, data: bytes) -> Look:
    """What the file of that path shows. `__init__.py` hands on what others import through it, whatever is in it; a
    `setup.py` makes a package of the folder of a training script; a helper may write the files of those that train."""
    speaks = any(pattern.search(data) for pattern in _IMPORTED)
    speaks = speaks or (b"sagemaker" in data and bool(_LAUNCHES.search(data))) or bool(_COPIES.search(data))
    speaks = speaks or (b"subprocess" in data and bool(_STARTS.search(data)))
    # The words of a file in UTF-16, or with NUL bytes, cannot be seen; the migration says what is wrong with it.
    if speaks or data[:2] in _NO_SCRIPT or b"\0" in data:
        return Look.ASKS
    if b"torch" in data or b"cuda" in data or _CALLS.search(data):
        return Look.ASKS if _ASKS.search(data) else Look.PART
    part = path.endswith(("__init__.py", "setup.py")) or any(word in data for word in _ACTS) or _WRITES.search(data)
    makes = _MAKES.search(data) if b"import" in data else None
    return Look.PART if part or makes or _RANKS.search(data) or _OF_A_VERSION.search(data) else Look.NOTHING


def matters(path: str, source: str) -> bool:
    """Whether a file may have a part in training, or hand on what others import through it."""
    return look(path, source.encode("utf-8", "surrogatepass")) is not Look.NOTHING
