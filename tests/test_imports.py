"""Imports asked for are added once, in place, under a name that is free; idle ones go, and nothing else does."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit import build
from codemods.kit.edits import Edits
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Rule, Safety, Stage
from codemods.kit.script import read
from codemods.kit.targets import SMTC

RULE = Rule("TC000", "a rule of the tests", Safety.EXACT)
XM = "import torch_xla.core.xla_model as xm\n"


def marked(source: str) -> str:
    """The source with a step marked in place of each `mark()`, and each `gone(...)` removed."""
    script = read(cst.parse_module(dedent(source)))
    edits = Edits(script, SMTC)
    edit = edits.edit("tests", Stage.STEP, RULE, script.module.body[0], "an edit")
    for call in script.tree.all(cst.Call):
        name = build.code_of(call.func)
        if name == "mark":
            edit.replace(call, lambda updated: edit.say(Idiom.MARK_STEP))
        elif name == "gone":
            edit.remove(call)
    return edits.apply().code


@pytest.mark.parametrize(
    ("source", "result"),
    [
        pytest.param("mark()\n", XM + "xm.mark_step()\n", id="no imports"),
        pytest.param('"""Doc."""\nmark()\n', '"""Doc."""\n' + XM + "xm.mark_step()\n", id="after the docstring"),
        pytest.param(
            "from __future__ import annotations\nmark()\n",
            "from __future__ import annotations\n" + XM + "xm.mark_step()\n",
            id="after the future",
        ),
        pytest.param(
            "# c\nimport torch\nimport sys\nmark()\n",
            "# c\nimport torch\n" + XM + "import sys\nxm.mark_step()\n",
            id="beside torch",
        ),
        pytest.param(
            "import sys\n\nx = 1\nmark()\n", "import sys\n" + XM + "\nx = 1\nxm.mark_step()\n", id="after the last"
        ),
        pytest.param(
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nmark()\n",
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n" + XM + "xm.mark_step()\n",
            id="below the first lines",
        ),
        pytest.param(
            "import torch\ntry:\n  import apex\nexcept E:\n  apex = 0\nfrom torch import nn\nmark()\nnn.x()\n",
            "import torch\ntry:\n  import apex\nexcept E:\n  apex = 0\nfrom torch import nn\n"
            + XM
            + "xm.mark_step()\nnn.x()\n",
            id="past a guarded import",
        ),
        pytest.param(XM + "mark()\n", XM + "xm.mark_step()\n", id="there already"),
        pytest.param(
            "import torch_xla.core.xla_model as model\nmark()\n",
            "import torch_xla.core.xla_model as model\nmodel.mark_step()\n",
            id="under another name",
        ),
        pytest.param(
            "from torch_xla.core import xla_model\nmark()\n",
            "from torch_xla.core import xla_model\nxla_model.mark_step()\n",
            id="in another form",
        ),
        pytest.param(
            "xm = 1\nmark()\nprint(xm)\n",
            "import torch_xla.core.xla_model as torch_xm\nxm = 1\ntorch_xm.mark_step()\nprint(xm)\n",
            id="taken",
        ),
        pytest.param(
            "def f(xm):\n    mark()\n",
            "import torch_xla.core.xla_model as torch_xm\n\n\ndef f(xm):\n    torch_xm.mark_step()\n",
            id="taken by a parameter",
        ),
        pytest.param("import torch\r\nmark()\r\n", "import torch\r\n" + XM[:-1] + "\r\nxm.mark_step()\r\n", id="CRLF"),
        pytest.param(
            "def f():\n    import torch_xla.core.xla_model as xm\n    mark()\ndef g():\n    mark()\n",
            XM + "\n\ndef f():\n    import torch_xla.core.xla_model as xm\n    xm.mark_step()\n"
            "def g():\n    xm.mark_step()\n",
            id="imported in a function only",
        ),
        pytest.param("mark(); mark()\n", XM + "xm.mark_step(); xm.mark_step()\n", id="once"),
    ],
)
def test_added(source: str, result: str) -> None:
    assert marked(source) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [
        pytest.param("import a\nimport sys\ngone(a)\nprint(sys)\n", "import sys\nprint(sys)\n", id="its last use went"),
        pytest.param("import a\ngone(a)\nprint(a)\n", "import a\nprint(a)\n", id="another use stays"),
        pytest.param("import a, b\ngone(a)\nprint(b)\n", "import b\nprint(b)\n", id="one of two"),
        pytest.param("import a, b\ngone(b)\nprint(a)\n", "import a\nprint(a)\n", id="the other of two"),
        pytest.param(
            "from m import (\n    a,\n    b,\n)\ngone(a)\nprint(b)\n",
            "from m import (\n    b,\n)\nprint(b)\n",
            id="in parentheses",
        ),
        pytest.param("from m import a as c\ngone(c)\nx = 1\n", "x = 1\n", id="under an alias"),
        pytest.param(
            "import a\nimport unused\ngone(a)\nx = 1\n", "import unused\nx = 1\n", id="one that was idle before stays"
        ),
        pytest.param("import torch\ngone(torch)\nx = 1\n", "import torch\nx = 1\n", id="torch stays"),
        pytest.param("from m import *\ngone(a)\nx = 1\n", "from m import *\nx = 1\n", id="a star stays"),
        pytest.param("from .m import a\ngone(a)\nx = 1\n", "from .m import a\nx = 1\n", id="a relative one stays"),
        pytest.param(
            "import a\ngone(a)\n__all__ = ['a']\n", "import a\n__all__ = ['a']\n", id="one that is exported stays"
        ),
        pytest.param(
            "import a\n\nimport b\ngone(a)\nprint(b)\n", "import b\nprint(b)\n", id="no blank line is left on top"
        ),
        pytest.param(
            "# why\nimport a\nimport b\ngone(a)\nprint(b)\n", "# why\nimport b\nprint(b)\n", id="a comment above stays"
        ),
        pytest.param(
            "import b\n# why\nimport a\nx = 1\ngone(a)\nprint(b)\n",
            "import b\n# why\nx = 1\nprint(b)\n",
            id="a comment between stays",
        ),
        pytest.param(
            "def f():\n    import a\n    gone(a)\n    return 1\n", "def f():\n    return 1\n", id="in a function"
        ),
    ],
)
def test_removed(source: str, result: str) -> None:
    assert marked(source) == result
