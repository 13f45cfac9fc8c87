"""One clear sentence for each way in which a script does not run, from what it printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.smoke.enclosure import Cause
from migrate.smoke.verdicts import Facts, explain

FACTS = Facts(
    Cause.ITSELF,
    1,
    "",
    root="/home/me/project",
    python="/usr/bin/python3",
    held=("network", "files", "processes", "attributes", "sockets"),
    home="/tmp/run/home",
    seconds=120,
    bytes=8 << 30,
    file_bytes=2 << 30,
    processes=512,
)

TRACEBACK = """\
epoch 1
Traceback (most recent call last):
  File "/opt/tool/child/launch.py", line 31, in main
    runpy.run_path(script, run_name="__main__")
  File "/home/me/project/train.py", line 40, in <module>
    main()
  File "/home/me/project/data/read.py", line 7, in load
    return parse(path)
  File "/usr/lib/python3/site-packages/parser.py", line 3, in parse
    raise
{}
"""

RAISED = {
    "ValueError: bad\nand more": "raised ValueError: bad, at data/read.py:7 in load",
    "StopIteration": "raised StopIteration, at data/read.py:7 in load",
    "ModuleNotFoundError: No module named 'timm.layers'": (
        "needs the module timm.layers, which /usr/bin/python3 does not have; install it there, "
        "or name the folder that has it with --root"
    ),
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.bin'": (
        "needs /data/train.bin, which is not there; name the folder to run in with --root, "
        "or serve a well-known data set by --fake-data"
    ),
    "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/run/home/x'": (
        "looks for ~/x, and its home folder is an empty one; --env HOME gives yours"
    ),
    "RuntimeError: Dataset not found. You can use download=True to download it": (
        "needs a data set that is not there; --fake-data serves a well-known one, --network lets it download"
    ),
    "PermissionError: [Errno 13] Permission denied: '/etc/x'": (
        "was refused /etc/x: a smoke run may write only in its own folder"
    ),
    "PermissionError: [Errno 13] Permission denied": (
        "was refused something outside of its own folder, such as a Unix socket or the times of a file"
    ),
    "RuntimeError: File /models/best.pt cannot be opened.": (
        "was refused /models/best.pt: a smoke run may write only in its own folder"
    ),
    "OSError: [Errno 27] File too large": "wrote a file of more than 2 GiB, the limit of a smoke run",
    "EOFError: EOF when reading a line": "reads standard input, which is empty in a smoke run",
    "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>": (
        "wants the network, which a smoke run has not; --network allows it, --fake-data serves well-known data sets"
    ),
    "socket.gaierror: [Errno -3] Temporary failure in name resolution": (
        "wants the network, which a smoke run has not; --network allows it, --fake-data serves well-known data sets"
    ),
    "OSError: CUDA_HOME environment variable is not set. Please set it.": (
        "needs a GPU of its own: its CUDA code cannot be served on the CPU"
    ),
    "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?": (
        "is written for Python 2, which no torch of today runs on"
    ),
    "MemoryError": "asked for more memory than the machine has",
}


@pytest.mark.parametrize(("raised", "sentence"), RAISED.items())
def test_says_what_an_exception_means(raised: str, sentence: str) -> None:
    assert explain(replace(FACTS, output=TRACEBACK.format(raised))) == sentence


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("PermissionError: [Errno 13] Permission denied: '/etc/x'", "raised PermissionError"),
        ("PermissionError: [Errno 13] Permission denied", "raised PermissionError"),
        ("urllib.error.URLError: <urlopen error [Errno -3] Name or service not known>", "raised urllib.error.URLError"),
    ],
)
def test_does_not_blame_an_enclosure_that_there_is_not(raised: str, told: str) -> None:
    assert explain(replace(FACTS, output=TRACEBACK.format(raised), held=())).startswith(told)


def test_the_last_exception_counts() -> None:
    """torch's spawn prints that of the worker inside its own."""
    output = TRACEBACK.format(
        "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:"
    ) + TRACEBACK.format("ZeroDivisionError: division by zero")
    assert (
        explain(replace(FACTS, output=output))
        == "raised ZeroDivisionError: division by zero, at data/read.py:7 in load"
    )


def test_arguments() -> None:
    output = "usage: train.py [-h] --lr LR\n\ntrain.py: error: the following arguments are required: --lr\n"
    assert explain(replace(FACTS, status=2, output=output)) == (
        "needs arguments: the following arguments are required: --lr; pass them after -- (usage: train.py [-h] --lr LR)"
    )
    unknown = "usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --lr 1\n"
    told = explain(replace(FACTS, status=2, output=unknown))
    assert told.startswith("does not take these arguments: unrecognized arguments: --lr 1; pass them after --")
    click = "Usage: train.py [OPTIONS] DATA\nTry 'train.py --help' for help.\n\nError: Missing argument 'DATA'.\n"
    assert "Missing argument 'DATA'." in explain(replace(FACTS, status=2, output=click))


def test_variables_of_the_environment() -> None:
    output = (
        'Traceback (most recent call last):\n  File "/home/me/project/train.py", line 4, in <module>\n'
        "  File \"{}\", line 679, in __getitem__\n    raise KeyError(key) from None\nKeyError: 'B'\n"
    )
    for module in ("<frozen os>", "/usr/lib/python3.10/os.py"):
        told = explain(replace(FACTS, output=output.format(module)))
        assert told == "reads the environment variable B, which is not set in a smoke run; --env B=VALUE sets it"
    other = explain(replace(FACTS, output=output.format("/home/me/project/table.py")))
    assert other == "raised KeyError: 'B', at table.py:679 in __getitem__"


def test_limits() -> None:
    stack = (
        'Current thread 0x1 (most recent call first):\n  File "/usr/lib/python3.11/socket.py", line 3 in recv\n'
        '  File "/home/me/project/train.py", line 14 in wait\n  File "/home/me/project/train.py", line 20 in <module>\n'
    )
    assert explain(replace(FACTS, cause=Cause.TIME, status=None, steps=12, stacks=("", stack))) == (
        "had not ended after 120 s, with 12 optimizer steps done, at train.py:14 in wait; --timeout gives it longer"
    )
    importing = (
        'Current thread 0x1 (most recent call first):\n  File "<frozen importlib._bootstrap>", line 1 in _load\n'
    )
    told = explain(replace(FACTS, cause=Cause.TIME, status=None, stacks=(importing,)))
    assert "with no optimizer step done, still importing its packages; " in told
    assert explain(replace(FACTS, cause=Cause.MEMORY, status=None)).startswith("held more than 8 GiB of memory")
    assert explain(replace(FACTS, cause=Cause.PROCESSES, status=None)) == "ran more than 512 processes at a time"
    assert explain(replace(FACTS, cause=Cause.DISK, status=None)).startswith("filled the disk")
    assert "was killed" in explain(replace(FACTS, cause=Cause.UNKNOWN, status=None))


def test_signals() -> None:
    stack = 'Current thread 0x1 (most recent call first):\n  File "/home/me/project/a.py", line 2 in f\n'
    assert explain(replace(FACTS, status=-6, stacks=(stack,))) == (
        "was killed by SIGABRT, at a.py:2 in f: a crash in compiled code, not an exception"
    )
    assert explain(replace(FACTS, status=-9)) == "was killed by SIGKILL, as the kernel does when memory runs out"
    assert explain(replace(FACTS, status=-77)).startswith("was killed by signal 77")


def test_training() -> None:
    assert explain(replace(FACTS, status=0)).startswith("ended without an optimizer step")
    assert explain(replace(FACTS, status=0, trained=1, workers=2)) == "trained in 1 process where 2 were to train"
    assert explain(replace(FACTS, status=0, trained=3, workers=1)) == "trained in 3 processes where 1 was to train"


def test_other_ends() -> None:
    assert explain(replace(FACTS, status=3)) == "ended with exit status 3"
    assert explain(replace(FACTS, status=1, output="one\nno GPU found\n")) == "ended with exit status 1: no GPU found"
    assert len(explain(replace(FACTS, status=1, output="x" * 5000))) < 400


STOOD = """\
place {rank}
Current thread 0x00007f (most recent call first):
  File "/venv/lib/python3/site-packages/torch/distributed/distributed_c10d.py", line 2938 in all_reduce
  File "/venv/lib/python3/site-packages/torch/distributed/c10d_logger.py", line 81 in wrapper
  File "/home/me/project/train.py", line {line} in step
"""


def test_a_time_out_names_each_rank_its_line_and_its_collective() -> None:
    stacks = (STOOD.format(rank=1, line=14), STOOD.format(rank=0, line=12).replace("all_reduce", "helper"))
    facts = replace(FACTS, cause=Cause.TIME, status=None, steps=3, trained=2, workers=2, stacks=stacks)
    assert explain(facts) == (
        "had not ended after 120 s, with 3 optimizer steps done, rank 0 at train.py:12 in step; rank 1 at train.py:14 "
        "in step, in all_reduce; --timeout gives it longer"
    )


def test_all_modules_that_are_missing_are_named_at_once() -> None:
    output = TRACEBACK.format("ModuleNotFoundError: No module named 'timm.layers'")
    facts = replace(FACTS, output=output, missing=("apex_extra", "timm", "wandb"))
    assert explain(facts) == (
        "needs the modules timm.layers, apex_extra, wandb, which /usr/bin/python3 does not have; install them there, "
        "or name the folder that has them with --root"
    )
