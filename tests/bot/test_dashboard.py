"""The operator's page in a real browser without script: its own style applies, and nothing is wider than the window.

Without Playwright or a Chromium the tests are skipped and say so, as those of the report are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from migrate.bot.queue import Queue
from migrate.bot.receiver import Door, make_app
from tests.bot import screenshots
from tests.bot.receivers import SECRET, serving
from tests.bot.test_receiver import EVIL, PASSWORD, fill

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install -e '.[browser]'"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with ExitStack() as stack:
        try:
            started = stack.enter_context(screenshots.browser())
        except playwright.Error as error:
            pytest.skip(f"no Chromium can be started: {str(error).splitlines()[0]}")
        yield started


@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_shown_as_it_is_meant(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    queue, trouble = Queue(tmp_path / "queue.db"), []
    fill(queue)
    with serving(make_app(queue, Door([SECRET], password=PASSWORD))) as port:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=False,
            http_credentials={"username": "me", "password": PASSWORD},
        )
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        address = f"http://127.0.0.1:{port}/"
        page.on("request", lambda request: trouble.append(request.url) if request.url != address else None)
        page.goto(address)
        page.screenshot(path=tmp_path / "page.png", full_page=True)
        assert page.locator("h2").all_inner_texts() == ["Failures", "Pull requests", "Repositories", "Jobs"]
        assert page.locator("dl").evaluate("node => getComputedStyle(node).display") == "grid"
        assert page.locator("rect").count() == 2  # done and given up, in this hour
        assert page.locator("html").evaluate("node => node.scrollWidth") <= width
        assert page.locator("td", has_text=EVIL[:25]).count() > 0
        context.close()
    assert [each for each in trouble if "favicon" not in each] == []


def test_a_longer_story_is_told_when_asked_for(browser: Any, tmp_path: Path) -> None:
    """Without script: what a failed job has said is one line until somebody opens it."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(screenshots.page(tmp_path))
    assert page.locator("header p").first.inner_text() == "1 given up, not done since"
    story = page.locator("details").first
    assert story.inner_text() == "GitError: fetching took longer than 120 seconds"
    story.locator("summary").click()
    assert "Traceback (most recent call last):" in story.inner_text()
    assert page.locator("a", has_text="#51").get_attribute("href") == "https://github.com/nlp/bert-pretrain/pull/51"
    assert page.locator("rect").count() > 20
    context.close()


def test_the_pictures_can_be_made(browser: Any, tmp_path: Path) -> None:
    document = screenshots.pull_request()
    screenshots.shoot(browser, document, 980, 600, tmp_path / "pull.png")
    assert (tmp_path / "pull.png").stat().st_size > 10_000
    assert "<h3>What needs your eyes</h3>" in document
