"""Words and names from anywhere in Markdown: GitHub's own parser shows them as they are and acts on none."""

from __future__ import annotations

import re
from html import unescape

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.render.markdown import clip, code, code_html, escape, fence, prose, tame

# Characters that mean something to somebody, and words made of them.
ODD = st.text(alphabet=st.sampled_from("\\|`*_[]()<>&#~!@:/.-+={}\"'$%^ \tab1wGHé"), max_size=40)
MARKUP = ["https://a.bc/d", "www.ab.cd", "@user", "#12", "GH-1", "a@b.cd", "</td>", "<!--", "-->", "```", "``", "\\|",
          "\\\\|", "&amp;", "&#124;", "**a**", "~~a~~", "![a](b)"]  # fmt: skip
WORDS = st.lists(st.sampled_from(MARKUP), max_size=8).map(" ".join)
ANYTHING = st.one_of(ODD, WORDS, st.tuples(WORDS, ODD).map("".join), st.text(max_size=40))


def rendered(markdown: str) -> str:
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


def shown(text: str) -> str:
    """What a reader is to see: blanks as one, what cannot be seen as a mark."""
    unseen = r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
    return re.sub(unseen, "\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def cells(markdown: str) -> list[str]:
    html = rendered(f"| a | b |\n|---|---|\n{markdown}")
    assert html.count("<tr>") == 2
    return re.findall(r"(?s)<td>(.*?)</td>", html)


@settings(max_examples=400, deadline=None)
@given(ANYTHING)
def test_a_text_is_one_cell_without_markup(text: str) -> None:
    first, second = cells(f"| {escape(text)} | end |\n")
    assert second == "end"
    assert "<" not in first
    assert unescape(first).replace("\u200b", "").strip() == shown(text)
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.", unescape(first))


@settings(max_examples=400, deadline=None)
@given(ANYTHING)
def test_a_sentence_is_one_cell_without_markup_but_code(text: str) -> None:
    first, second = cells(f"| {prose(text)} | end |\n")
    assert second == "end"
    assert set(re.findall(r"<[^>]*>", first)) <= {"<code>", "</code>"}
    seen = unescape(re.sub("</?code>", "", first)).replace("\u200b", "")
    assert "".join(seen.split()).replace("`", "") == "".join(shown(text).split()).replace("`", "")
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.", unescape(re.sub(r"(?s)<code>.*?</code>", " ", first)))


@settings(max_examples=400, deadline=None)
@given(ANYTHING)
def test_a_name_is_one_cell_of_code_and_one_link(text: str) -> None:
    first, second = cells(f"| [{code(text)}](https://example.org/a) | end |\n")
    assert second == "end"
    inside = re.fullmatch(r'(?s)<a href="https://example.org/a"><code>(.*)</code></a>', first)
    assert inside is not None, first
    assert "<" not in inside[1]
    assert unescape(inside[1]).strip() == shown(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(ANYTHING, max_size=4).map("\n".join))
def test_a_block_of_code_holds_whatever_it_is(text: str) -> None:
    html = rendered(fence(text.replace("\x00", ""), "diff") + "\nend\n")
    assert html.count("<pre") == 1
    assert html.endswith("<p>end</p>\n")


@pytest.mark.parametrize("text", ["@a", "by @a, #1", "GH-12", "x#3"])
def test_what_is_tamed_links_to_nobody(text: str) -> None:
    assert not re.search(r"@\w|#\d|GH-\d", tame(text))
    assert tame(text).replace("\u200b", "") == text
    assert tame("&#35; a") == "&#35; a"


def test_small_things() -> None:
    assert prose("reads `loss.item()` and `a|b`, twice") == "reads `loss.item()` and <code>a&#124;b</code>, twice"
    assert prose("a `b") == escape("a `b")
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcd", 4) == "abcd"
    assert code_html("<a>&\x1b") == "<code>&lt;a&gt;&amp;\N{REPLACEMENT CHARACTER}</code>"
    assert fence("") == "```\n```\n"
