"""The HTML report in a real browser: what it shows, what its filters and keys do, that it asks the network for nothing.

Without Playwright or a Chromium the tests are skipped and say so (`pip install -e '.[browser]'`, then
`playwright install chromium`, or a `chromium` on the path).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.test_reports import golden_entries, hostile, made, rendered

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install -e '.[browser]'"
)
WIDE, NARROW = {"width": 1300, "height": 900}, {"width": 400, "height": 800}


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


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open a report; afterwards: no error of its script, and no request but for itself."""
    trouble: list[str] = []
    pages: list[Any] = []

    def open_page(text: str, size: dict[str, int] = WIDE, scheme: str = "light") -> Any:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
        page = browser.new_page(viewport=size, color_scheme=scheme)
        pages.append(page)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: trouble.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        return page

    yield open_page
    for page in pages:
        page.close()
    assert trouble == []


def visible(page: Any, selector: str) -> int:
    return sum(element.is_visible() for element in page.query_selector_all(selector))


def test_a_file_unfolds_to_both_columns_with_the_reasons(show: Any) -> None:
    entry = made("train.py", "a = 1\nold = 2\nb = 3\n", "a = 1\nnew = 2\nb = 3\n", seed=3)
    page = show(rendered("html", entry))
    page.wait_for_selector(".diff")
    assert page.inner_text(".gone").strip() == "old = 2"
    assert page.inner_text(".diff .new").strip() == "new = 2"
    assert page.inner_text(".gone mark") == "old"
    assert "edit 2" in page.inner_text(".said")
    page.click(".said li:has-text('edit 2') .why")
    assert "seen" in page.inner_text(".said li:has-text('edit 2') .reasons")


def test_filters_leave_what_is_asked_for(show: Any) -> None:
    entries = golden_entries()
    page = show(rendered("html", *entries))
    every = visible(page, ".file")
    assert every > 10
    page.click(".chip.review")
    chosen = visible(page, ".file")
    assert 0 < chosen < every
    assert page.inner_text("#shown") == f"{chosen} of {every} files"
    page.click("#unfold")
    page.wait_for_selector(".said")
    assert {kind.text_content() for kind in page.query_selector_all(".said > li .kind") if kind.is_visible()} == {
        "review"
    }
    page.click("#clear")
    assert visible(page, ".file") == every
    rule = page.get_attribute(".pick", "data-rule")
    page.click(".pick")
    assert page.input_value("#rule") == rule
    assert all(
        rule in file.get_attribute("data-found") for file in page.query_selector_all(".file") if file.is_visible()
    )


def test_text_is_searched_in_names_and_code(show: Any) -> None:
    page = show(rendered("html", made("one.py", "alpha\n", "beta\n"), made("two.py", "gamma\n", "delta\n")))
    for text, expected in (("two", "two.py"), ("ALPHA", "one.py"), ("delta", "two.py")):
        page.fill("#text", text)
        assert [n.inner_text() for n in page.query_selector_all(".name") if n.is_visible()] == [expected]
    page.fill("#text", "nowhere")
    assert page.is_visible("#none")


def test_the_keyboard_is_enough(show: Any) -> None:
    page = show(rendered("html", *golden_entries()))
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('.file') === document.querySelectorAll('.file')[1]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".file[open] .part")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"


def test_nothing_of_a_script_is_run_or_taken_for_html(show: Any) -> None:
    page = show(rendered("html", hostile()))
    page.wait_for_selector(".diff")
    assert page.evaluate("document.querySelectorAll('script:not([type])').length") == 1
    assert "<script>alert(1)</script>" in page.inner_text(".gone")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_long_lines_break_no_layout_and_text_is_readable(show: Any, size: dict[str, int], scheme: str) -> None:
    long = "x = '" + "long" * 500 + "'\n"
    page = show(rendered("html", made("folder/" * 30 + "f.py", long, long.upper())), size, scheme)
    page.wait_for_selector(".diff")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    ink, paper = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    assert contrast(ink, paper) > 7


def test_three_hundred_files_stay_quick(show: Any) -> None:
    entries = golden_entries()
    many = [
        made(f"{at}/{entry.name}", entry.migration.source, entry.result, seed=at)
        for at in range(300 // len(entries) + 1)
        for entry in entries
    ]
    page = show(rendered("html", *many))
    assert len(page.query_selector_all(".file")) >= 300
    page.click("#unfold")
    page.wait_for_selector(".diff")
    # Drawn is only what is near the window.
    assert page.evaluate("document.querySelectorAll('.diff').length") < 400
    spent = page.evaluate("(() => { const t = performance.now(); clear(); apply(); return performance.now() - t })()")
    assert spent < 1000


def contrast(one: str, other: str) -> float:
    """As WCAG defines it, of two `rgb(r, g, b)`."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
