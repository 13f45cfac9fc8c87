"""The reports of a proof: the verdict first, the numbers that matter, and nothing that acts on the reader."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from migrate.smoke.compare import Tolerance, compare
from migrate.smoke.findings import Finding
from migrate.smoke.judgement import Pair, Proof, Verdict
from migrate.smoke.record import Backend, Ending, Graphs, Run, Side, Worker
from migrate.smoke.report_html import render_html
from migrate.smoke.report_json import render_json
from migrate.smoke.report_markdown import render_markdown
from migrate.smoke.report_rows import choose_rows, list_rows
from migrate.smoke.report_svg import difference_chart, graph_chart, loss_chart
from migrate.smoke.report_terminal import render_terminal
from migrate.smoke.report_words import enclosure_line

ORIGINAL = tuple((step, 2.3 * 0.9**step) for step in range(20))


def run_of(losses: tuple[tuple[int, float], ...], backend: Backend | None = None, **about: object) -> Run:
    """A run of one process that did a step for each loss."""
    graphs = tuple(Graphs(min(step + 1, 2), step + 1) for step in range(len(losses))) if backend else ()
    worker = Worker(steps=(len(losses),), losses=losses, graphs=graphs, versions={"torch": "2.9.0"})
    side = Side.XLA if backend else Side.CUDA
    return replace(Run(side, Ending.STOPPED, 1.5, "", (worker,), backend), **about)  # type: ignore[arg-type]


def pair_of(original: Run | None, migrated: Run, *findings: Finding) -> Pair:
    both = original is not None and original.ok and migrated.ok
    comparison = compare(original, migrated, Tolerance()) if both and original is not None else None
    return Pair(1, "torch_xla 2.9.0 on the CPU", original, migrated, comparison, findings)


def proof_of(*pairs: Pair, **about: object) -> Proof:
    return replace(Proof("src/train.py", "torch-xla==2.9", None, 20, pairs), **about)  # type: ignore[arg-type]


def scaled(factor: float, first: int = 0) -> tuple[tuple[int, float], ...]:
    """The original's losses, from one step on times a factor."""
    return tuple((step, value * factor if step >= first else value) for step, value in ORIGINAL)


NEAR = run_of(scaled(1 + 1e-7), Backend.TORCH_XLA)
OFF = run_of(scaled(1.2, first=6), Backend.STANDIN)
ERROR = Finding("no-mark", True, "no mark between steps 3 and 4", "train.py:42")
WARNING = Finding("host-read", False, "reads the loss in every step", "train.py:44")
FAILED = run_of((), Backend.TORCH_XLA, ending=Ending.FAILED, reason="exit status 1", output="Traceback\n\x1b[2J<b>Oops")

PROVED = proof_of(pair_of(run_of(ORIGINAL), NEAR, WARNING))
TROUBLE = proof_of(pair_of(run_of(ORIGINAL), NEAR, ERROR))
DIVERGED = proof_of(pair_of(run_of(ORIGINAL), OFF))
COULD_NOT_RUN = proof_of(pair_of(run_of(ORIGINAL), FAILED))
NOTHING = proof_of(reason="there is nothing to migrate: asks for no accelerator")
EACH = pytest.mark.parametrize(
    "proof", [PROVED, TROUBLE, DIVERGED, COULD_NOT_RUN, NOTHING], ids=lambda p: p.verdict.name
)


def terminal(proof: Proof) -> str:
    console = Console(width=120, color_system=None)
    with console.capture() as text:
        console.print(render_terminal(proof))
    return text.get()


# --- the words ----------------------------------------------------------------------------------------------------


@EACH
def test_the_verdict_comes_first(proof: Proof) -> None:
    assert terminal(proof).startswith(f"src/train.py: {proof.verdict.value}: ")
    assert proof.verdict.value in render_markdown(proof).splitlines()[0]
    assert f'<p class="badge">{proof.verdict.value}</p>' in render_html(proof, "1.0")


@EACH
def test_the_backend_is_named_wherever_something_ran(proof: Proof) -> None:
    for pair in proof.pairs:
        assert pair.backend in terminal(proof)
        assert pair.backend in render_html(proof, "1.0")
        assert pair.backend.replace("_", r"\_") in render_markdown(proof)


def test_a_proof_names_steps_difference_tolerance_and_graphs() -> None:
    text = " ".join(terminal(PROVED).split())
    assert "trains the same for 20 optimizer steps, largest difference of a loss 1.0e-07" in text
    assert "Tolerance: a loss may differ by 2.0e-04" in text
    assert "Graphs (measured): 2 compiled, 20 executed in 20 steps; the usual late step executes 1" in text
    assert "warning train.py:44: reads the loss in every step" in text


def test_predicted_graphs_are_called_predicted() -> None:
    assert "Graphs (predicted)" in terminal(DIVERGED)
    assert "compiled (predicted)" in render_markdown(DIVERGED)
    assert "Graphs by optimizer step, predicted" in render_html(DIVERGED, "1.0")
    assert "predicted" not in terminal(PROVED) + render_markdown(PROVED) + render_html(PROVED, "1.0")


def test_a_divergence_is_shown_at_its_step() -> None:
    text = terminal(DIVERGED)
    assert "loss of step 7: " in text.splitlines()[0]
    rows = choose_rows(list_rows(DIVERGED.pairs[0]))
    assert {6, 7, 8} <= {row.step for row in rows}
    assert next(row.step for row in rows if row.diverges) == 7
    assert "diverges at 7" in render_html(DIVERGED, "1.0")


def test_what_happened_first_is_said_first_and_what_was_found_beside_it() -> None:
    off = replace(OFF, workers=(replace(OFF.first, gradients=(2.0,) * 20),))
    original = run_of(ORIGINAL)
    original = replace(original, workers=(replace(original.first, gradients=(1.0,) * 20),))
    proof = proof_of(pair_of(original, off, ERROR))
    assert proof.reasons[0].startswith("gradient of step 1: ")
    assert proof.reasons[1].startswith("loss of step 7: ")
    assert "no mark between steps 3 and 4" in render_markdown(proof).splitlines()[0]


def test_a_failed_run_shows_its_last_lines() -> None:
    for text in (terminal(COULD_NOT_RUN), render_markdown(COULD_NOT_RUN), render_html(COULD_NOT_RUN, "1.0")):
        assert "exit status 1" in text
        assert "Oops" in text


def test_what_a_script_printed_acts_on_nobody() -> None:
    assert "\x1b" not in terminal(COULD_NOT_RUN)
    for text in (render_markdown(COULD_NOT_RUN), render_html(COULD_NOT_RUN, "1.0")):
        assert "<b>Oops" not in text
        assert "&lt;b&gt;Oops" in text


def test_a_traceback_keeps_the_frames_of_the_user_only() -> None:
    output = """Traceback (most recent call last):
  File "/x/migrate/smoke/child/launch.py", line 30, in main
    runpy.run_path(script)
    ^^^^^^^^^^^^^^^^^^^^^^
  File "train.py", line 8, in <module>
    model = net.cuda()
  File "/env/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1084, in <lambda>
    return self._apply(lambda t: t.cuda(device))
RuntimeError: no GPU
"""
    text = terminal(proof_of(pair_of(run_of(ORIGINAL), replace(FAILED, output=output))))
    assert "model = net.cuda()" in text
    assert "RuntimeError: no GPU" in text
    assert "launch.py" not in text
    assert "module.py" not in text


# --- which steps --------------------------------------------------------------------------------------------------


def test_a_step_with_several_losses_shows_their_mean() -> None:
    twice = tuple(pair for step, value in ORIGINAL for pair in ((step, value), (step, value + 1)))
    pair = pair_of(run_of(twice), run_of(twice, Backend.TORCH_XLA))
    rows = list_rows(pair)
    assert rows[0].original == pytest.approx(2.8)
    assert [row.step for row in rows[:20]] == list(range(1, 21))


def test_a_long_run_is_shown_in_ten_rows() -> None:
    losses = tuple((step, 1.0 + 1 / (step + 1)) for step in range(500))
    rows = choose_rows(list_rows(pair_of(run_of(losses), run_of(losses, Backend.TORCH_XLA))))
    assert len(rows) == 10
    assert (rows[0].step, rows[-1].step) == (1, 500)


def test_a_late_compilation_is_shown() -> None:
    losses = tuple((step, 1.0) for step in range(100))
    migrated = run_of(losses, Backend.TORCH_XLA)
    graphs = tuple(Graphs(2 if step < 76 else 3, step + 1) for step in range(100))
    migrated = replace(migrated, workers=(replace(migrated.first, graphs=graphs),))
    rows = choose_rows(list_rows(pair_of(run_of(losses), migrated)))
    assert 77 in {row.step for row in rows}


# --- JSON ---------------------------------------------------------------------------------------------------------


@EACH
def test_json_is_json(proof: Proof) -> None:
    report = json.loads(render_json(proof, "1.0"), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert report["verdict"] == proof.verdict.value
    assert len(report["pairs"]) == len(proof.pairs)


def test_what_the_kernel_did_not_grant_is_named() -> None:
    held = run_of(ORIGINAL, Backend.TORCH_XLA, enclosure=("network", "files"))
    assert enclosure_line(held) == "Enclosure: no network, no writing outside the run's own folder."
    lacking = replace(held, not_granted=("processes", "sockets"))
    assert enclosure_line(lacking) == (
        f"{enclosure_line(held)} Not granted by this kernel: "
        "no process outlives the run; no Unix socket but the run's own."
    )
    assert enclosure_line(replace(lacking, enclosure=())).startswith("Enclosure: nothing. Not granted by this kernel: ")
    assert enclosure_line(replace(held, enclosure=())) == "", "nothing ran"


def test_json_has_no_nan() -> None:
    losses = ((0, 1.0), (1, math.nan), (2, math.inf))
    report = json.loads(render_json(proof_of(pair_of(run_of(losses), run_of(losses, Backend.TORCH_XLA))), "1.0"))
    assert [step["original"] for step in report["pairs"][0]["steps"]] == [1.0, None, None]


def test_the_page_documents_every_key_of_the_json() -> None:
    page = (Path(__file__).parents[2] / "docs" / "smoke.md").read_text(encoding="utf-8")
    report = json.loads(render_json(TROUBLE, "1.0"))
    report["pairs"][0]["migrated"]["workers"][0]["counters"] = {}
    report["pairs"][0]["original"]["workers"][0]["counters"] = {}

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for item in value.values() for key in keys(item)}
        return {key for item in value for key in keys(item)} if isinstance(value, list) else set()

    own = keys(report) - {"torch", "torch_xla"}
    assert sorted(key for key in own if f"`{key}`" not in page) == []


# --- the page -----------------------------------------------------------------------------------------------------


@EACH
def test_the_page_needs_nothing_else(proof: Proof) -> None:
    page = render_html(proof, "1.0")
    assert re.findall(r"(?:src|href)\s*=|@import|url\(|https?://|<script", page) == []


@pytest.mark.parametrize("chart", [loss_chart, difference_chart, graph_chart])
@pytest.mark.parametrize("proof", [PROVED, DIVERGED], ids=["proved", "diverged"])
def test_charts_are_well_formed_and_inside_their_frame(chart: object, proof: Proof) -> None:
    drawing = ElementTree.fromstring(chart(list_rows(proof.pairs[0])))  # type: ignore[operator]
    for circle in drawing.iter("circle"):
        assert 0 <= float(circle.get("cx", "")) <= 720
        assert 0 <= float(circle.get("cy", "")) <= 260
    for bar in drawing.iter("rect"):
        assert float(bar.get("height", "")) >= 0
    assert "nan" not in ElementTree.tostring(drawing, encoding="unicode")


@pytest.mark.parametrize("losses", [(), ((0, 1.0),), ((0, math.nan), (1, math.inf)), ((0, 0.0), (1, 0.0))])
def test_charts_of_odd_runs(losses: tuple[tuple[int, float], ...]) -> None:
    rows = list_rows(pair_of(run_of(losses), run_of(losses, Backend.TORCH_XLA)))
    for chart in (loss_chart(rows), difference_chart(rows), graph_chart(rows)):
        if chart:
            ElementTree.fromstring(chart)


def test_the_curves_go_down_where_the_losses_do() -> None:
    drawing = ElementTree.fromstring(loss_chart(list_rows(PROVED.pairs[0])))
    heights = [float(circle.get("cy", "")) for circle in drawing.iter("circle")]
    assert len(heights) == 20
    assert heights == sorted(heights)


# --- verdicts -----------------------------------------------------------------------------------------------------


def test_verdicts_and_exit_codes() -> None:
    found = [(proof.verdict, proof.verdict.exit_code) for proof in (PROVED, TROUBLE, DIVERGED, COULD_NOT_RUN, NOTHING)]
    assert found == [
        (Verdict.PROVED, 0),
        (Verdict.TROUBLE, 1),
        (Verdict.DIVERGED, 1),
        (Verdict.COULD_NOT_RUN, 2),
        (Verdict.COULD_NOT_RUN, 2),
    ]
