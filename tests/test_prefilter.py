"""The pre-filter lets through whatever the migration has something to do with, or to say of."""

from __future__ import annotations

import pytest

from codemods.kit import asks, frameworks, launch
from migrate.prefilter import PACKAGES, Look, look
from migrate.programs import group, imported_names
from tests.goldens import TARGETS, Case, cases


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_golden_that_is_changed_or_noted_passes(case: Case) -> None:
    found = [case.migrated(target) for target in TARGETS]
    if any(migration.result != migration.source or migration.notes for migration in found):
        seen = look(case.path.name, case.path.read_bytes())
        # Of a project any file may ask for the accelerator; a script by itself has to.
        assert seen is not Look.NOTHING
        assert seen is Look.ASKS or case.project is not None or case.alone.select


def test_every_library_that_is_spoken_of_passes() -> None:
    spoken = (one for one in frameworks.LIBRARIES if one.stands is not frameworks.Stands.CONVERTS)  # only beside torch
    named = [part for library in spoken for part in library.parts]
    known = {name.partition(".")[0] for name in (*named, *asks._PACKAGES, *launch.TRAINERS, *launch.INIT)}
    assert known - {"torch"} == set(PACKAGES)
    for package in PACKAGES:
        assert look("x.py", f"from {package}.some import thing\n".encode()) is Look.ASKS


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"import json\n", Look.NOTHING),
        (b"import torch\n", Look.PART),
        (b"x = load('cuda')\n", Look.ASKS),
        (b"import torch\nx.to(device)\n", Look.ASKS),
        (b"device = 'disk'\n", Look.NOTHING),
        ("import torch\n".encode("utf-16"), Look.ASKS),
        (b"x = '\0'\n", Look.ASKS),
        (b"", Look.NOTHING),
    ],
)
def test_what_bytes_show(data: bytes, seen: Look) -> None:
    assert look("x.py", data) is seen


def test_an_empty_package_hands_on_what_others_import_through_it() -> None:
    assert look("models/__init__.py", b"") is Look.PART


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b as c, d\n", ("a.b", "d")),
        ("from . import a\nfrom .b import c as x\nfrom ..d import *\n", (".a", ".b.c", "..d")),
        ("from . import *\n", (".",)),
        ("from a import (  # all (of them)\n    b,\n    c,\n)\n", ("a.b", "a.c")),
        ("from a \\\n    import b, \\\n    c\n", ("a.b", "a.c")),
        ("if x: import a; from b import c\n", ("a", "b.c")),
        ("try:\n\timport a  # noqa, really\nexcept ImportError:\n\tpass\n", ("a",)),
        ("fromage = importlib.x\n", ()),
        ('importlib.import_module("nets.deep")\n', ("nets.deep",)),
        ("import_module('nets.' + name + '_net')\n", ("nets.*",)),
        ('__import__(f"nets.{name}")\n', ("nets.*",)),
        ('add_argument("--net-name", default="deep")\nimport_module(args.net_name)\n', ("deep", "deep.*")),
        ("import_module(configuration['net'])\n", ()),
    ],
)
def test_imports_are_read_from_the_text(source: str, names: tuple[str, ...]) -> None:
    assert imported_names(source) == names


def test_what_may_be_imported_by_name_is_of_the_program() -> None:
    imports = {
        "train.py": imported_names('import_module("nets." + name)'),
        "beside.py": imported_names('add_argument("--net", default="deep")\nimport_module(args.net)'),
        "nets/deep.py": (),
        "nets/wide.py": (),
        "other/deep_one.py": (),
    }
    assert group(imports) == [["train.py", "beside.py", "nets/deep.py", "nets/wide.py"], ["other/deep_one.py"]]


def test_programs_are_files_that_import_each_other() -> None:
    imports = {
        "one/main.py": ("torch", "engine.train"),
        "one/engine.py": (),
        "two/main.py": (".tools",),
        "two/tools.py": ("yaml",),
        "yaml.py": ("yaml",),
        "lone.py": ("torch.nn",),
    }
    assert group(imports) == [
        ["one/main.py", "one/engine.py"],
        ["two/main.py", "two/tools.py", "yaml.py"],
        ["lone.py"],
    ]
