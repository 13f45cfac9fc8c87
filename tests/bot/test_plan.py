"""What is proposed: the same for the same migrations, whole however large, harmless whatever files are called."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote_to_bytes

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from codemods.kit.targets import ALL, Target
from migrate.bot.git.commits import Author
from migrate.bot.marker import Marker, read_marker
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan, digest_changes, make_plan, name_recipe
from migrate.bot.sections import LARGEST, Section, compose, size
from migrate.migration import Migration, Status
from tests.bot.migrations import COMMIT, HOSTILE, NOTE, RESULT, SOURCE, hostile, left, proposal, train
from tests.goldens import ROOT, migrated_project

BODIES = Path(__file__).parent / "bodies"
PROOF = (
    "**✅ proved** `train.py` for `smtc`: 8 steps, thanks to @someone in #12\n\n"
    "<details><summary>Step by step</summary>\n\n</details>\n"
)
MANY = {f"part{number // 40}/file{number}.py": train(notes=(NOTE,)) for number in range(900)}
HOSTILE_PATHS = [
    "a|b.py",
    "`a`b``c```.py",
    "](https://evil.example).py",
    "<img src=x onerror=alert(1)>.py",
    "@someone/#12 **x** .py",
    "a\\|b.py",
    "dir/$(touch x);`id` && b.py",
    "--><script>.py",
    "caf\udce9.py",
    "\u202egpj.py",
    "new\nline.py",
    "x" * 3000 + ".py",
    "é" * 500 + ".py",
]


def plan_of(migrations: dict[str, Migration], target: str = "smtc", **more: object) -> Plan:
    return make_plan(migrations, proposal(target, **more))


BODIES_OF = {
    "one_script": lambda: plan_of({"train.py": train()}),
    "many_kinds": lambda: plan_of(
        {
            "src/train.py": train(notes=(NOTE,)),
            "src/data.py": left("data.py", Status.UNCHANGED, ""),
            "deep.py": left("deep.py", Status.SKIPPED, "nested too deeply"),
            "fsdp.py": left("fsdp.py", Status.REFUSED, "builds on FSDP", NOTE),
        },
        "torch-xla==2.9",
        evidence=[PROOF],
        skipped={"big.ipynb": "larger than 4 MiB"},
    ),
    "nothing": lambda: plan_of({"model.py": left("model.py", Status.UNCHANGED, "")}),
    "hostile": lambda: plan_of({path: hostile(path) for path in sorted(HOSTILE_PATHS) if len(path) < 100}),
}


@pytest.mark.parametrize("name", BODIES_OF)
def test_the_body_is_as_written_down(name: str, blessing: bool) -> None:
    body = BODIES_OF[name]().body
    golden = BODIES / f"{name}.md"
    if blessing:
        golden.write_text(body, encoding="utf-8")
    assert body == golden.read_text(encoding="utf-8")


def test_no_golden_is_left_over() -> None:
    assert sorted(path.stem for path in BODIES.iterdir()) == sorted(BODIES_OF)


def test_the_same_migrations_in_any_order_are_the_same_plan() -> None:
    names = [f"{name}.py" for name in "abcdefgh"]
    migrations = {name: train(notes=(NOTE,)) for name in names} | {"s.py": left("s.py", Status.SKIPPED, "why")}
    first = plan_of(migrations)
    for seed in range(5):
        shuffled = list(migrations)
        random.Random(seed).shuffle(shuffled)
        assert plan_of({name: migrations[name] for name in shuffled}) == first


@pytest.mark.parametrize("target", ALL, ids=str)
def test_every_target_has_a_branch_of_its_own(target: Target) -> None:
    plan = make_plan({"train.py": train()}, replace(proposal(), target=target))
    assert plan.branch == f"tc-migrate/{name_recipe(target)}"
    assert re.fullmatch(r"tc-migrate/(smtc|torch-xla)(-\d\.\d+)?", plan.branch)
    assert len({name_recipe(each) for each in ALL}) == len(ALL)
    assert len(plan.title) < 100


def test_nothing_to_do_is_an_empty_plan() -> None:
    plan = plan_of({"model.py": left("model.py", Status.UNCHANGED, "")})
    assert (plan.is_empty, plan.conclusion, plan.annotations) == (True, "success", ())
    assert plan_of({}).is_empty


# --- the marker ---------------------------------------------------------------------------------------------------


def test_a_plan_is_found_again_by_its_body() -> None:
    plan = plan_of({"train.py": train()})
    assert plan.marker == Marker("smtc", COMMIT, "0.1.0", digest_changes({"train.py": train()}), (), plan.marker.edits)
    assert plan.marker.edits
    assert read_marker(plan.body) == plan.marker
    assert read_marker(plan.body.replace("\n", "\r\n")) == plan.marker  # as it comes back when edited in a browser


def test_a_quoted_or_broken_marker_is_none() -> None:
    line = str(plan_of({"train.py": train()}).marker)
    for text in ("", f"> {line}", f"\n{line}", f"words\n{line}", line.replace("v1", "v9"), line.replace(" -->", "")):
        assert read_marker(text) is None
    for bad in ("smtc -->", "a b", "", "x" * 61):
        with pytest.raises(ValueError, match="no marker"):
            str(Marker(bad, COMMIT, "0.1.0", "0" * 32))


def test_the_digest_is_of_the_edits_and_not_of_where_they_are() -> None:
    moved = replace(train(), source="# a comment\n" + SOURCE, result="# a comment\n" + RESULT)
    other = replace(train(), result=RESULT.replace("device", "accelerator"))
    assert digest_changes({"train.py": moved}) == digest_changes({"train.py": train()})
    assert (
        len({digest_changes(each) for each in ({"train.py": train()}, {"t.py": train()}, {"train.py": other}, {})}) == 4
    )


# --- commits ------------------------------------------------------------------------------------------------------


def test_what_does_the_same_is_a_commit_before_what_is_to_be_read() -> None:
    steps = plan_of({"train.py": train()}).steps
    first, second = (step.files["train.py"] for step in steps)
    assert first == RESULT.replace("xm.optimizer_step(optimizer)", "optimizer.step()")
    assert second == RESULT
    assert [step.message.splitlines()[2] for step in steps] == [f"{edits} in 1 file, by tc-migrate 0.1.0."
                                                                for edits in ("2 edits", "1 edit")]  # fmt: skip
    assert all(len(step.message.splitlines()[0]) <= 72 for step in steps)


def test_edits_that_need_each_other_are_not_parted() -> None:
    """Here the line to be read is the one that makes the device."""
    changes = (train().changes[0], replace(train().changes[2], line=2), replace(train().changes[0], line=7))
    (step,) = plan_of({"train.py": train(changes=changes)}).steps
    assert step.files == {"train.py": RESULT}


def test_a_migration_without_edits_to_review_is_one_commit() -> None:
    (step,) = plan_of({"train.py": train(changes=train().changes[:2]), "u.py": left("u", Status.UNCHANGED, "")}).steps
    assert step.files == {"train.py": RESULT}


@pytest.mark.parametrize("folder", sorted(path.name for path in (ROOT / "projects").iterdir()))
def test_the_commits_of_a_project_end_at_its_migration_and_each_compiles(folder: str) -> None:
    migrations = migrated_project(ROOT / "projects" / folder, "smtc")
    plan = plan_of(migrations)
    files = {path: each.source for path, each in migrations.items()}
    for step in plan.steps:
        assert step.files
        assert all(files[path] != text for path, text in step.files.items())
        files |= step.files
        for text in step.files.values():
            ast.parse(text)
    assert files == {path: each.result for path, each in migrations.items()}
    assert size(plan.body) <= LARGEST


def test_a_message_says_nothing_that_the_repository_says() -> None:
    for step in plan_of({path: hostile(path) for path in HOSTILE_PATHS}).steps:
        assert re.fullmatch(r"[A-Za-z0-9 :/,.\n-]+", step.message)


# --- size ---------------------------------------------------------------------------------------------------------


def test_what_is_too_long_loses_whole_rows_and_says_how_many() -> None:
    body = plan_of(MANY, evidence=[PROOF * 50] * 40, skipped={f"s{n}.py": "why" for n in range(2000)}).body
    assert LARGEST - 10_000 < size(body) <= LARGEST
    parts = dict(re.findall(r"(?ms)^### ([^\n]+)\n(.*?)(?=^### |\Z)", body))
    for title, total in (
        ("What a person decides", 900 * 2),
        ("What was edited", 900),
        ("Files left as they are", 2000),
    ):
        rows = re.findall(r"(?m)^(?:\| .*\.py.*\||- \[ \] .*|- .* why)$", parts[title])
        missing = int(re.search(r"(?m)^(\d+) more do not fit here\.$", parts[title])[1])  # type: ignore[index]
        assert rows
        assert len(rows) + missing == total
    assert "/tc-migrate help" in parts["Commands"]
    assert "enabled: false" in parts["Yours to change, or not wanted?"]
    assert body.count("<details>") == body.count("</details>")
    assert {len(row) for row in tables(body)} <= {2, 3, 4}


def test_rows_that_are_too_long_by_themselves_leave_room_for_the_others() -> None:
    migrations = {"é" * 3900 + f"{number}.py": train() for number in range(30)} | {"z.py": train()}
    body = plan_of(migrations).body
    assert size(body) <= LARGEST
    assert "z.py?plain=1#L7" in body


def test_sections_fit_whatever_their_number() -> None:
    dice = random.Random(7)
    for _ in range(200):
        rows = [
            ["r" * dice.randint(1, 900) + "\n" for _ in range(dice.randint(0, 40))] for _ in range(dice.randint(1, 6))
        ]
        text = compose([Section(f"t{n}\n", "head\n", each) for n, each in enumerate(rows)], 5_000)
        assert size(text) <= 5_000
        missing = sum(int(number) for number in re.findall(r"(?m)^(\d+) more do(?:es)? not fit", text))
        shown = re.findall(r"(?m)^r+$", text)
        assert len(shown) + missing == sum(map(len, rows))
        assert set(shown) <= {row.rstrip() for each in rows for row in each}


# --- words of others ----------------------------------------------------------------------------------------------


def rendered(markdown: str) -> str:
    """As GitHub's own parser renders it, HTML and all."""
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


class Page(HTMLParser):
    """The tags of a page, and its text outside links and code, where GitHub looks for names and numbers."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.texts: list[str] = []
        self.code: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]
        if tag not in ("br", "img", "hr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.code.append(data)
        elif not {"a", "pre"} & set(self._open):
            self.texts.append(data)


def tables(markdown: str) -> list[list[str]]:
    """The cells of each row, as they are rendered."""
    rows = re.findall(r"(?s)<tr>(.*?)</tr>", rendered(markdown))
    return [re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


KNOWN_TAGS = {"p", "strong", "h3", "table", "thead", "tbody", "tr", "th", "td", "a", "code", "br", "ul", "li", "pre",
              "details", "summary", "input"}  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE_PATHS, ids=range(len(HOSTILE_PATHS)))
def test_a_hostile_name_and_message_act_on_nothing(path: str) -> None:
    skipped = {path + "x": HOSTILE}
    harmless = plan_of({"a.py": hostile("a.py"), "b.py": left("b.py", Status.SKIPPED, "why")}, skipped={"x": "y"})
    plan = plan_of({path: hostile(path), "b.py": left("b.py", Status.SKIPPED, HOSTILE)}, skipped=skipped)
    page, other = Page(rendered(plan.body)), Page(rendered(harmless.body))
    assert page.tags.keys() <= KNOWN_TAGS
    for counted in (page, other):
        del counted.tags["code"], counted.tags["br"]
    assert page.tags == other.tags
    for link in page.links:
        assert link.startswith(f"https://github.com/owner/name/blob/{COMMIT}/")
        assert unquote_to_bytes(link.split("/", 7)[7].rpartition("?")[0]) == path.encode("utf-8", "surrogateescape")
    text = "\n".join(page.texts)
    assert not re.search(r"@\w|(?<!&)#\d|GH-\d|://|www\.", text)
    assert "@\u200bsomeone" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", plan.body)
    shell = re.findall(r"(?s)```\n(pip .*?)```", plan.body)
    assert shell[-1] == "pip install tc-migrate\ntc-migrate smoke SCRIPT.py --target smtc\n"
    assert read_marker(plan.body) == plan.marker


def test_a_hostile_name_is_shown_as_it_is() -> None:
    for path in ("a|b.py", "`a`b``c```.py", "](x).py", "<img>.py", "@someone #12 **x**.py", "a\\|b.py", "é.py"):
        page = Page(rendered(plan_of({path: hostile(path)}).body))
        assert f"{path}:1" in "\n".join("".join(page.code).split("\n")), path


def test_commands_are_listed_only_where_somebody_answers() -> None:
    bodies = [plan_of({"train.py": train()}, answers=answers).body for answers in (True, False)]
    assert ["/tc-migrate run" in body for body in bodies] == [True, False]
    assert all("enabled: false" in body for body in bodies)


def test_a_proof_mentions_nobody() -> None:
    body = plan_of({"train.py": train()}, evidence=[PROOF]).body
    assert "@\u200bsomeone in #\u200b12" in body


@pytest.mark.parametrize(
    ("repository", "commit", "web"),
    [
        ("owner", COMMIT, "https://github.com"),
        ("owner/name/x", COMMIT, "https://github.com"),
        ("owner/na me", COMMIT, "https://github.com"),
        ("owner/name)", COMMIT, "https://github.com"),
        ("owner/name", "main", "https://github.com"),
        ("owner/name", COMMIT, "javascript:x"),
        ("owner/name", COMMIT, "https://github.com/"),
    ],
)
def test_an_origin_that_makes_no_address(repository: str, commit: str, web: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        Origin(repository, commit, web)


def test_the_author_of_an_app_is_an_author() -> None:
    assert Author("tc-migrate[bot]", "1+tc-migrate[bot]@users.noreply.github.com").name == "tc-migrate[bot]"


# --- what a maintainer reads first --------------------------------------------------------------------------------


def test_a_body_says_first_what_it_makes_possible_then_what_was_shown_then_what_to_decide() -> None:
    folder = min(path for path in (ROOT / "projects").iterdir() if path.is_dir())
    body = plan_of(migrated_project(folder, "smtc")).body.partition("\n")[2]
    assert body.startswith("With this, `")
    titles = re.findall(r"(?m)^### (.*)$", body)
    wanted = ["What was understood", "What was shown", "The most telling edits", "What a person decides",
              "Try it before you merge", "Commands", "What was edited"]  # fmt: skip
    there = [title for title in wanted if title in titles]
    assert there == [title for title in titles if title in wanted]


def test_the_most_telling_edits_are_three_at_most_before_and_after() -> None:
    body = plan_of({path: train(path) for path in ("a.py", "b.py")}).body
    assert re.findall(r"(?s)```diff\n(.*?)```", body) == [
        "-    optimizer.step()\n+    xm.optimizer_step(optimizer)\n",
        "-model = Net().cuda()\n+device = xm.xla_device()\n+model = Net().to(device)\n",
    ]


def test_each_decision_is_a_box_with_a_link_to_its_line() -> None:
    body = plan_of({"train.py": train(notes=(NOTE,))}).body
    assert f"- [ ] [`train.py:4`](https://github.com/owner/name/blob/{COMMIT}/train.py?plain=1#L4) design anew" in body
