"""The text of a module, written without LibCST's positions."""

from __future__ import annotations

import libcst as cst
import pytest

from codemods.kit.text import text_of
from tests.goldens import Case, cases, read_text


@pytest.mark.parametrize("case", cases("scripts"), ids=lambda case: case.id)
def test_is_what_libcst_writes(case: Case) -> None:
    try:
        module = cst.parse_module(read_text(case.path))
    except cst.ParserSyntaxError:
        pytest.skip("Python 2")
    assert text_of(module) == module.code


@pytest.mark.parametrize("source", ["", "\n", "x", "x\r\n", "if x:\r\n\ty\n# end", "f(\n  a,\f\n  b)  # c\n\n"])
def test_ends_of_lines_and_of_the_file(source: str) -> None:
    assert text_of(cst.parse_module(source)) == source
