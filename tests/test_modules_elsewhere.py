"""A module in a folder that a script puts on `sys.path` is found, also in a package of its own name."""

from __future__ import annotations

import pytest

from migrate.modules import Paths

_LIB = ("lib/utils/__init__.py", "lib/utils/utils.py", "tools/train.py")


@pytest.mark.parametrize(
    ("files", "name", "found"),
    [
        (_LIB, "utils.utils.save", ("lib/utils/utils.py", "save")),
        (_LIB, "utils.save", ("lib/utils/__init__.py", "save")),
        (("a/utils/one.py", "b/utils/two.py", "a/utils/__init__.py", "b/utils/__init__.py", "tools/train.py"),
         "utils.two.save", ("b/utils/two.py", "save")),
        (("a/utils.py", "b/utils.py", "tools/train.py"), "utils.save", None),
        (("a/utils/utils.py", "b/utils/utils.py", "tools/train.py"), "utils.utils.save", None),
    ],
)  # fmt: skip
def test_a_module_of_another_folder(files: tuple[str, ...], name: str, found: tuple[str, str] | None) -> None:
    assert Paths(files).locate("tools/train.py", name) == found
