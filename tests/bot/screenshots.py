"""The pictures of docs/bot.md, made anew: `python -m tests.bot.screenshots` (needs Playwright and a Chromium).

The operator's page shows a made-up day of a bot; the pull request is what the bot would open for scripts in golden/.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from migrate.bot.dashboard import write_page
from migrate.bot.jobs import Asked, Job, Outcome
from migrate.bot.overview import look
from migrate.bot.queue import Limits, Queue

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
NOW = 1_795_348_800.0
"""The time on the page, in seconds since the epoch."""
NAMES = ("vision/detector", "vision/segmentation", "speech/asr-train", "speech/tts", "nlp/bert-pretrain",
         "nlp/t5-finetune", "research/diffusion", "research/ssl-video")  # fmt: skip
SCRIPTS = ("single_gpu", "epoch_functions")


def live_a_day(queue: Queue, clock: Any) -> None:
    """Fill a queue with a day of work: pushes, pull requests, commands, a rate limit, a failure."""
    chance = random.Random(7)
    for minute in range(24 * 60, 3, -1):
        clock.now = NOW - 60 * minute
        busy = 1 + 3 * (9 < (clock.now // 3600) % 24 < 18)
        if chance.random() < 0.03 * busy:
            name = chance.choice(NAMES[:-1])
            _do(queue, f"d{minute}", Job("push", name, f"{name} push"), _outcome(chance, name))
    clock.now = NOW - 9_000
    failing = Job("push", "research/ssl-video", "research/ssl-video push")
    queue.accept("dead", "push", Asked((failing,)))
    for _ in range(queue.limits.attempts):
        clock.now += 1_000
        claim = queue.claim()
        assert claim is not None
        queue.fail(claim, "Traceback (most recent call last):\n  ...\nGitError: fetching took longer than 120 seconds")
    clock.now = NOW - 170
    name = "research/diffusion"
    queue.accept("limit", "push", Asked((Job("push", name, f"{name} push"),)))
    claim = queue.claim()
    assert claim is not None
    queue.postpone(claim, NOW + 1_500, "GitHub: a pull request of tc-migrate/smtc: 403 API rate limit exceeded")
    command = Job("command", "nlp/bert-pretrain", "nlp/bert-pretrain comment:9", sender="alice")
    _do(queue, "command", command, Outcome("rebase: pull request 51 updated", _address("nlp/bert-pretrain", 51)))
    clock.now = NOW - 20
    queue.accept("last", "push", Asked(tuple(Job("push", name, f"{name} push") for name in NAMES[:3])))
    queue.claim()
    clock.now = NOW


def _do(queue: Queue, delivery: str, job: Job, outcome: Outcome) -> None:
    queue.accept(delivery, "push", Asked((job,)))
    claim = queue.claim()
    assert claim is not None
    queue.finish(claim, outcome)


def _outcome(chance: random.Random, name: str) -> Outcome:
    number = 11 + 10 * NAMES.index(name)
    files = chance.randint(2, 9)
    return chance.choice((
        Outcome(f"{files} scripts, nothing to migrate"),
        Outcome(f"pull request {number} updated: {files} scripts, 2 commits", _address(name, number)),
        Outcome(f"pull request {number} is as it has to be", _address(name, number)),
    ))  # fmt: skip


def _address(name: str, number: int) -> str:
    return f"https://github.com/{name}/pull/{number}"


class Clock:
    """A time that is set."""

    now = NOW

    def __call__(self) -> float:
        return self.now


def page(folder: Path) -> str:
    """The operator's page of that day."""
    clock = Clock()
    queue = Queue(folder / "queue.db", Limits(backoff=1), clock)
    live_a_day(queue, clock)
    return write_page(look(queue, NOW))


def pull_request() -> str:
    """A pull request of a real migration, as a document of HTML."""
    import cmarkgfm

    from codemods.kit.targets import Target
    from migrate import __version__
    from migrate.bot.body import Proposal
    from migrate.bot.origin import Origin
    from migrate.bot.plan import make_plan
    from migrate.project import migrate_project

    target = Target.parse("torch-xla==2.9")
    scripts = {name: (ROOT / "golden" / "scripts" / name / "case.py").read_text(encoding="utf-8") for name in SCRIPTS}
    migrations = dict(migrate_project({f"{name}/train.py": text for name, text in scripts.items()}, target=target))
    proposal = Proposal(Origin("octo/train", "0123456789" * 4), target, __version__)
    plan = make_plan(migrations, proposal)
    # With the `<br>` that is in it, which GitHub lets through.
    body = cmarkgfm.github_flavored_markdown_to_html(plan.body, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE)
    return (
        f'<!doctype html><meta charset="utf-8"><title>pull request</title><style>{_LIKE_GITHUB}</style>'
        f"<h1>{plan.title} <small>#12</small></h1>"
        f"<p class=about><b class=open>Open</b> <b>tc-migrate[bot]</b> wants to merge {len(plan.steps)} "
        f"commit{'s' * (len(plan.steps) > 1)} into <code>main</code> from <code>{plan.branch}</code></p>"
        f"<article>{body}</article>"
    )


_LIKE_GITHUB = """
body { font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; color: #1f2328;
  margin: 24px auto; max-width: 920px; }
h1 { font-size: 26px; font-weight: 400; margin: 0 0 8px; } small { color: #59636e; font-size: 26px; }
.about { color: #59636e; margin: 0 0 16px; } .open { background: #1f883d; color: #fff; border-radius: 2em;
  padding: 4px 12px; margin-right: 6px; font-weight: 500; }
article { border: 1px solid #d1d9e0; border-radius: 6px; padding: 4px 16px 12px; }
h2 { font-size: 21px; border-bottom: 1px solid #d1d9e0; padding-bottom: 4px; }
h3 { font-size: 17px; margin: 20px 0 8px; }
table { border-collapse: collapse; margin: 0 0 12px; } th, td { border: 1px solid #d1d9e0; padding: 5px 12px; }
tr:nth-child(2n) { background: #f6f8fa; } a { color: #0969da; text-decoration: none; }
code, pre { font: 12px ui-monospace, 'DejaVu Sans Mono', monospace; background: #eff1f3; border-radius: 6px; }
code { padding: 2px 5px; } pre { padding: 12px; overflow: auto; } pre code { padding: 0; }
ul { padding-left: 24px; } li { margin: 3px 0; }
"""


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium; raises `playwright.sync_api.Error` where none can be started."""
    from playwright import sync_api

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_api.sync_playwright() as running:
        # A container has no user namespace to sandbox in; what is shown is our own page.
        launched = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


def shoot(chromium: Any, document: str, width: int, height: int, file: Path) -> None:
    """A picture of the upper part of a document."""
    context = chromium.new_context(viewport={"width": width, "height": height}, java_script_enabled=False)
    shown = context.new_page()
    shown.set_content(document)
    shown.screenshot(path=file)
    context.close()


def main() -> None:
    """Write them."""
    with tempfile.TemporaryDirectory() as temporary, browser() as chromium:
        shoot(chromium, page(Path(temporary)), 1180, 900, IMAGES / "bot-dashboard.png")
        shoot(chromium, pull_request(), 980, 1_640, IMAGES / "bot-pull-request.png")


if __name__ == "__main__":
    main()
