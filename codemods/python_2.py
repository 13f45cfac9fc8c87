"""Bring a script of the Python 2 era up to Python 3.

torch_xla needs Python 3.8 or later. A script that only Python 2 (or a Python 3 before 3.7) could read is first made
parseable, line by line and no further than that: print statements become calls, `except X, e` becomes
`except X as e`, `.cuda(async=True)` becomes `.cuda(non_blocking=True)`, mixed tabs become spaces, and `xrange` and
`iteritems` get the names Python 3 has. Then it is migrated like any other. Line numbers stay the same.

What Python 3 reads differently without a word is not changed: above all `/` between integers, which rounded down.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage


class Python2(Codemod):
    """Bring a script of the Python 2 era up to Python 3."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC980", "what only Python 2 could read is written in Python 3", Safety.NOTE, Severity.INFO,
             advice="run the script in Python 3 once: division of integers now gives fractions, and map, filter and "
             "zip give iterators",
             document="Python 3.0: What's New In Python 3.0; Python 3.7: async is a keyword"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\n\nx = torch.ones(2)\nprint(x)\n"),
    )  # fmt: skip

    def rewrite(self) -> None:
        if self.script.modernised:
            done = ", ".join(self.script.modernised)
            self.note("TC980", self.script.module, f"the script was brought up to Python 3: {done}")
