"""What a project says it installs, held against what its migrated scripts need: requirements.txt, environment.yml,
pyproject.toml.

These are lists of packages, not scripts: each is read line by line, nothing is resolved and nothing is run. For
torch_xla 2.x the package `torch_xla` of the same version as `torch` is needed; the SageMaker Training Compiler's
container brings both, and a list that installs torch there replaces them. Packages that only work on CUDA are in the
way on both. A pyproject.toml and a setup.cfg name console scripts, too, which call a function in one process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from codemods.kit.containers import container_of
from codemods.kit.rules import Change, Note, Rule, Safety, Severity
from codemods.kit.sdk_versions import admits, unfit_sdk
from codemods.kit.targets import Launcher, Target
from migrate.migration import Migration, Status
from migrate.suppress import read_list_suppressions

NAME = "requirements"
"""Stands where the name of a codemod stands in reports."""
_INSTALL = "pytorch.org/xla, installation; PyPI, torch_xla"
RULES = (
    Rule("TC801", "torch_xla is not among what is installed", Safety.NOTE, Severity.WARNING,
         advice="add the torch_xla of torch's version, or let `--requirements` add it; on TPUs torch_xla[tpu]",
         document=_INSTALL),
    Rule("TC802", "torch_xla is added to what is installed", Safety.REVIEW, document=_INSTALL),
    Rule("TC803", "a torch of another version than torch_xla's", Safety.NOTE, Severity.WARNING,
         advice="install the torch and the torchvision that were released with this torch_xla", document=_INSTALL),
    Rule("TC804", "a build for CUDA", Safety.NOTE, Severity.WARNING,
         advice="install the build from PyPI, or the one for the CPU: torch_xla brings its own compiler and runtime",
         document=_INSTALL),
    Rule("TC805", "a package that only works on CUDA", Safety.NOTE, Severity.WARNING,
         advice="leave it out where the script runs on XLA: it does not install there, or is of no use"),
    Rule("TC806", "torch is installed over the one of the container", Safety.NOTE, Severity.WARNING,
         advice="leave it out of what SageMaker installs: the container brings torch and torch_xla of one version",
         document="SageMaker: Training Compiler, supported frameworks"),
    Rule("TC808", "the job installs a torch over the one of the container", Safety.NOTE, Severity.ERROR,
         advice="leave it out: torch_xla of the container works with its own torch only, and fails at its import",
         document="SageMaker: Training Compiler, supported frameworks; sagemaker-training-toolkit 4.8 modules.py"),
    Rule("TC807", "a console script that runs in one process", Safety.NOTE, Severity.ERROR,
         advice="let it call a function of that module that calls torch_xla.launch(_mp_fn), as its __main__ does",
         document="torch_xla 2.9 torch_xla.py launch; Python packaging, entry points"),
    Rule("SM018", "a version of the SageMaker SDK without this Training Compiler", Safety.NOTE, Severity.ERROR,
         advice="install sagemaker>=2.133,<3",
         document="SageMaker: enable Training Compiler; SageMaker Python SDK 3 migration.md"),
)  # fmt: skip
_BY_ID = {rule.id: rule for rule in RULES}
_CUDA_ONLY = re.compile(
    r"(apex|nvidia-apex|cupy(-cuda\w*)?|nvidia-\w[\w-]*|horovod|flash-attn|bitsandbytes|xformers|triton|tensorrt|pycuda|"
    r"transformer-engine|deepspeed|fairscale|cudatoolkit|pytorch-cuda|cudnn|nccl|cuda(-\w+)*|faiss-gpu|"
    r"dgl(-cu\w+)?|inplace-abn|spconv(-cu\w+)?|torchsparse|minkowskiengine|causal-conv1d|mamba-ssm|tinycudann|nvdiffrast|"
    r"pointnet2-ops|natten|sageattention|onnxruntime-gpu|tensorflow-gpu|smdistributed-dataparallel)$"
)
_TOOLS = re.compile(r"nvidia-(ml-py\d?|pyindex)$")
"""Of NVIDIA, and harmless."""
_CUDA_BUILD = re.compile(r"\+cu\d+|%2Bcu\d+|[\w.]*/whl/(nightly/)?cu\d+|py[\d.]+_cuda[\d.]+")
_GIT = re.compile(r"github\.com/NVIDIA/(apex|DALI)|git\+\S+/([\w.-]+?)(\.git)?([@#\s]|$)", re.IGNORECASE)
_TORCH = ("torch", "pytorch")


class Kind(Enum):
    """How a list of packages is written."""

    PIP = "requirements.txt"
    CONDA = "environment.yml"
    PROJECT = "pyproject.toml"
    SETUP = "setup.cfg"


@dataclass(frozen=True)
class Package:
    """A package a list names."""

    name: str
    """In lower case, with `-` for `_` and `.`."""
    version: str
    """What follows the name: `==1.10.0+cu113`."""
    line: int
    """1-based."""


_PATTERNS = {
    Kind.PIP: re.compile(r"\s*(?P<name>[A-Za-z0-9][\w.-]*)(\[[^\]]*\])?\s*(?P<version>(==|[<>~!@ =;]).*)?$"),
    Kind.CONDA: re.compile(
        r"\s*-\s*[\"']?(?:[\w-]+::)?(?P<name>[A-Za-z0-9][\w.-]*)(\[[^\]]*\])?\s*(?P<version>[=<>~!@].*?)?[\"']?$"
    ),
    Kind.PROJECT: re.compile(
        r"\s*(?:[\w-]+\s*=\s*\[)?\s*[\"'](?P<name>[A-Za-z0-9][\w.-]*)(\[[^\]]*\])?\s*"
        r"(?P<version>[<>=~!@; ][^\"']*)?[\"']\s*,?\s*\]?$"
    ),
}
_CALLED = re.compile(r"""=.*?["'\s](?P<module>[A-Za-z_][\w.]*)\s*:\s*(?P<function>[A-Za-z_][\w.]*)""")
"""What a console script calls: `train = "package.train:main"`."""
_POETRY = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)\s*=\s*(?P<version>[\"'{].*)$")


def check(
    text: str,
    *,
    path: str,
    kind: Kind,
    target: Target,
    add: bool,
    allows: Callable[[Rule], bool] = lambda rule: True,
    launched: Collection[str] = (),
    installed: bool = False,
) -> Migration | None:
    """What a list of packages needs for a target; None when it does not name torch and nothing is to be said.

    `add`: put torch_xla beside torch. `allows`: the rules that the user wants. `launched`: the modules that start
    their processes under `__main__` now. `installed`: a job installs it, as it lies beside the training script.
    """
    suppressed = read_list_suppressions(text)
    found = list(packages(text, kind))
    torch = next((package for package in found if package.name in _TORCH), None)
    over = list(_over(found, target)) if installed and target.launcher is Launcher.SAGEMAKER else []
    said = [*over, *_notes(text, found, None if over else torch, target, kind), *_consoles(text, launched)]
    notes = [note for note in said if allows(_BY_ID[note.rule])]
    notes = [note for note in notes if not suppressed.covers(note.rule, note.line)]
    needs = torch is not None and _needs_xla(found, target) and not suppressed.covers("TC802", torch.line)
    result = text
    changes: tuple[Change, ...] = ()
    if add and needs and torch is not None and allows(_BY_ID["TC802"]):
        result = _added(text, torch, target, kind)
        if result != text:
            message = f"adds torch_xla {_release(target)}"
            changes = (Change("TC802", torch.line, Safety.REVIEW, message, NAME),)
            notes = [note for note in notes if note.rule != "TC801"]
    if not notes and not changes:
        return None
    status = Status.MIGRATED if changes else Status.UNCHANGED
    return Migration(path, target.name, status, text, result, changes, tuple(sorted(notes, key=lambda n: n.line)))


def packages(text: str, kind: Kind) -> Iterator[Package]:
    """The packages that a list names, as far as its lines show."""
    section = ""
    for number, whole in enumerate(text.splitlines(), start=1):
        line = re.sub(r"(^|\s)#.*$", "", whole).rstrip()
        if kind is Kind.PROJECT and line.startswith("["):
            section = line.strip("[] ")
        if kind is Kind.CONDA and re.match(r"[^\s-].*:", line):
            section = line.partition(":")[0]
        pattern = _pattern(kind, section)
        match = pattern.match(line) if pattern is not None and line.strip() else None
        if match is not None:
            name = re.sub(r"[_.]+", "-", match["name"]).lower()
            yield Package(name, (match["version"] or "").strip(), number)


def _pattern(kind: Kind, section: str) -> re.Pattern[str] | None:
    """How a line of a section names a package; None for a section that names none."""
    if kind is Kind.SETUP:
        return None
    if kind is Kind.CONDA and section != "dependencies":
        return None
    if kind is Kind.PROJECT and section.startswith("tool.poetry") and section.endswith("dependencies"):
        return _POETRY
    if kind is Kind.PROJECT and not section.startswith(("project", "dependency-groups")):
        return None
    return _PATTERNS[kind]


# --- what is said -------------------------------------------------------------------------------------------------


def _notes(text: str, found: list[Package], torch: Package | None, target: Target, kind: Kind) -> Iterator[Note]:
    release = _release(target)
    if torch is not None and target.launcher is Launcher.SAGEMAKER:
        yield _note("TC806", torch.line, f"the container brings its own torch, and its torch_xla {_version(target)}")
    elif torch is not None:
        if _needs_xla(found, target):
            yield _note("TC801", torch.line, f"torch is installed, and torch_xla=={release} is not")
        if _is_other_version(torch, target):
            yield _note("TC803", torch.line, f"torch{_shown(torch)}: torch_xla {release} needs torch {release}")
    yield from _sdk(found, target)
    for number, line in enumerate(text.splitlines(), start=1):
        code = re.sub(r"(^|\s)#.*$", "", line)
        if (build := _CUDA_BUILD.search(code)) is not None and kind is not Kind.PROJECT:
            yield _note("TC804", number, f"`{build[0].strip('/')}` asks for a build for CUDA")
        elif (git := _GIT.search(code)) is not None and (
            git[1] or _CUDA_ONLY.match(git[2].lower().replace("_", "-"))
        ):
            yield _note("TC805", number, f"{git[1] or git[2]} only works on CUDA")
    for package in found:
        if _CUDA_ONLY.match(package.name) and not _TOOLS.match(package.name):
            yield _note("TC805", package.line, f"{package.name} only works on CUDA")


def _consoles(text: str, launched: Collection[str]) -> Iterator[Note]:
    """Console scripts that pass by the `__main__` of their modules."""
    for number, line in enumerate(text.splitlines(), start=1):
        called = _CALLED.search(line)
        if called is not None and called["module"] in launched:
            name = f"{called['module']}:{called['function']}"
            yield _note("TC807", number, f"{name} is called in one process, which knows of no others")


def _over(found: list[Package], target: Target) -> Iterator[Note]:
    """Packages whose versions bring a torch that is not the container's."""
    torch = container_of(target).pytorch
    major, minor, patch = map(int, torch.split("."))
    own = {"torch": torch, "torchvision": f"0.{minor + major}.{patch}", "torchaudio": f"0.{minor}.{patch}"}
    for package in found:
        if package.name in own and not admits(package.version, own[package.name]):
            yield _note("TC808", package.line, f"{package.name}{_shown(package)}: the container has torch {torch}")


def _sdk(found: list[Package], target: Target) -> Iterator[Note]:
    """A SageMaker SDK that can't start the target's jobs."""
    for package in found:
        if package.name == "sagemaker" and target.launcher is Launcher.SAGEMAKER:
            reason = unfit_sdk(package.version, container_of(target))
            if reason:
                yield _note("SM018", package.line, f"sagemaker{_shown(package)}: {reason}")


def _needs_xla(found: list[Package], target: Target) -> bool:
    return target.launcher is not Launcher.SAGEMAKER and not any(package.name == "torch-xla" for package in found)


def _is_other_version(torch: Package, target: Target) -> bool:
    """Whether torch is pinned, `==1.10.0` or `=1.10`, to another version than the target's."""
    match = re.match(r"={1,3}\s*(\d+)\.(\d+)", torch.version)
    return match is not None and (int(match[1]), int(match[2])) != target.version


def _shown(package: Package) -> str:
    return package.version.partition(";")[0].strip().strip("\"'")


def _note(rule: str, line: int, message: str) -> Note:
    known = _BY_ID[rule]
    return Note(rule, line, known.severity, message, known.advice, known.document, NAME)


def _version(target: Target) -> str:
    return ".".join(map(str, target.version))


def _release(target: Target) -> str:
    """The version on PyPI: a minor release's first."""
    return f"{_version(target)}.0"


# --- what is added --------------------------------------------------------------------------------------------------


def _added(text: str, torch: Package, target: Target, kind: Kind) -> str:
    """The text with torch_xla below torch, in the style of its line; the same where a line of its own is not enough."""
    lines = text.splitlines(keepends=True)
    line = lines[torch.line - 1]
    ending = line[len(line.rstrip("\r\n")) :] or ("\r\n" if "\r\n" in text else "\n")
    wanted = f"torch_xla=={_release(target)}"
    indent = line[: len(line) - len(line.lstrip())]
    if kind is Kind.PROJECT:
        if _POETRY.match(line):
            added = f'torch_xla = "{_release(target)}"'
        elif (match := re.match(r"\s*([\"'])[^\"']*\1(,?)\s*(#.*)?$", line.rstrip())) is not None:
            added = f"{indent}{match[1]}{wanted}{match[1]},"
            line = line if match[2] else re.sub(r"([\"'])(\s*(#.*)?)$", r"\1,\2", line.rstrip("\r\n")) + ending
        else:
            return text
    elif kind is Kind.CONDA:
        return _added_to_conda(lines, torch, wanted, ending)
    else:
        added = indent + wanted
    lines[torch.line - 1 : torch.line] = [line.rstrip("\r\n") + ending, added + ending]
    return "".join(lines)


def _added_to_conda(lines: list[str], torch: Package, wanted: str, ending: str) -> str:
    """Below the packages that pip installs; conda itself has no torch_xla."""
    pip = next((index for index, line in enumerate(lines) if re.match(r"\s*-\s*pip:\s*(#.*)?$", line.rstrip())), None)
    if pip is None:
        last = max(package.line for package in packages("".join(lines), Kind.CONDA))
        dash = re.match(r"\s*", lines[last - 1])
        indent = dash[0] if dash is not None else ""
        added = [f"{indent}- pip:{ending}", f"{indent}  - {wanted}{ending}"]
        lines[last - 1] = lines[last - 1].rstrip("\r\n") + ending
        return "".join([*lines[:last], *added, *lines[last:]])
    above = torch.line - 1 if torch.line - 1 > pip else pip
    below = lines[above + 1] if above == pip and above + 1 < len(lines) else lines[above]
    dash = re.match(r"\s*", below)
    indent = dash[0] if dash is not None and below.lstrip().startswith("-") else re.match(r"\s*", lines[pip])[0] + "  "  # type: ignore[index]
    lines[above] = lines[above].rstrip("\r\n") + ending
    return "".join([*lines[: above + 1], f"{indent}- {wanted}{ending}", *lines[above + 1 :]])
