"""What the language server costs an editor: `python -m tests.lsp_benchmark [SCRIPT]`, with pygls's own client.

Without a script one of about a thousand lines is put together. Diagnostics are timed from the moment that the server
is told of a text, less the pause of `migrate.lsp.PAUSE` after a key stroke; actions at each line with an edit.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types

from migrate.lsp import PAUSE
from tests.test_lsp import Editor, talk

HOUSE = Path(__file__).parent.parent
PIECE = """

def evaluate_{}(model, loader, criterion):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            total += criterion(model(x), y).item()
    return total / len(loader)


class Block{}(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = torch.nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.first(x))
"""


def long_script(lines: int = 1000) -> str:
    """A golden with helpers above its first definition."""
    text = (HOUSE / "golden/scripts/data_parallel/case.py").read_text(encoding="utf-8")
    at = min(place for word in ("\nclass ", "\ndef ") if (place := text.find(word)) > 0)
    count = (lines - text.count("\n")) // PIECE.count("\n")
    return text[:at] + "".join(PIECE.format(number, number) for number in range(count)) + text[at:]


async def measure(editor: Editor, text: str, folder: Path) -> None:
    """Open, change twice, ask for actions everywhere, and be cut short by key strokes."""

    async def timed(what: str) -> list[types.Diagnostic]:
        began = time.perf_counter()
        found = await editor.shown()
        print(f"{what:44} {1000 * (time.perf_counter() - began - (PAUSE if 'change' in what else 0)):8.0f} ms")
        return found

    uri = await editor.open(folder / "train.py", text)
    found = await timed(f"diagnostics of {text.count(chr(10))} lines, opened cold")
    for number in (2, 3):
        editor.change(uri, text + f"# {number}\n", number)
        found = await timed("diagnostics after a change, warm")
    taken = []
    for line in sorted({each.range.start.line for each in found}):
        began = time.perf_counter()
        await editor.actions(uri, line, line)
        taken.append(1000 * (time.perf_counter() - began))
    again = time.perf_counter()
    await editor.actions(uri, 0, 10**6)
    print(f"{'actions, the first time':44} {taken[0]:8.0f} ms")
    print(f"{f'actions at {len(taken)} lines, median':44} {statistics.median(taken[1:]):8.0f} ms")
    print(f"{'  the slowest':44} {max(taken[1:]):8.0f} ms")
    print(f"{'actions of the whole file':44} {1000 * (time.perf_counter() - again):8.0f} ms")
    for number in range(4, 14):
        editor.change(uri, text + f"# {number}\n", number)
    began = time.perf_counter()
    await editor.actions(uri, 0, 0)
    print(f"{'actions, asked in the middle of ten changes':44} {1000 * (time.perf_counter() - began):8.0f} ms")


def main() -> None:
    """Measure a script."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else long_script()
    with tempfile.TemporaryDirectory() as folder:
        talk(lambda editor: measure(editor, text, Path(folder)), Path(folder), "--target", "torch-xla==2.9")


if __name__ == "__main__":
    main()
