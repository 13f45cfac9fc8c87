"""The operator's page in a real browser without script: its own style applies, and nothing is wider than the window.

Without Playwright or a Chromium the tests are skipped and say so, as those of the report are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrate.bot.queue import Queue
from migrate.bot.receiver import Door, make_app
from tests.bot.receivers import SECRET, serving
from tests.bot.test_receiver import EVIL, PASSWORD, fill

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install -e '.[browser]'"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    with playwright.sync_playwright() as running:
        try:
            # A container has no user namespace to sandbox in; what is shown is our own page.
            launched = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium can be started: {str(error).splitlines()[0]}")
        yield launched
        launched.close()


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
        assert page.locator("dl").evaluate("node => getComputedStyle(node).display") == "flex"
        assert page.locator("html").evaluate("node => node.scrollWidth") <= width
        assert page.locator("td", has_text=EVIL[:25]).count() > 0
        context.close()
    assert [each for each in trouble if "favicon" not in each] == []
