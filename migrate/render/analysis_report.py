"""The analysis of `--report-only`, as text, JSON or HTML, made while the run goes on like any other report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from migrate.analysis import Analyst
from migrate.render.analysis_html import render_html
from migrate.render.analysis_json import render_json
from migrate.render.analysis_text import render_text
from migrate.render.entry import Entry, Run
from migrate.render.tally import Tally

FORMS = ("text", "json", "html")


class AnalysisReport:
    """Written at the end: who uses a kernel is known when all files are in."""

    def __init__(self, form: str, run: Run, cuda_files: tuple[str, ...], read: Callable[[str], str | None]) -> None:
        """`form`: one of `FORMS`. `cuda_files`: the CUDA sources below the folders that were given. `read`: the text
        of a file by its path."""
        self.form = form
        self.run = run
        self.cuda_files = cuda_files
        self.tally = Tally()
        self.analyst = Analyst(run.target, read)

    def add(self, entry: Entry) -> str:
        """One file."""
        self.tally.add(entry.migration)
        self.analyst.add(entry.name, entry.migration)
        return ""

    def close(self) -> Iterator[str]:
        """The whole analysis."""
        analysis = self.analyst.conclude(self.cuda_files)
        for place in analysis.unsaid:
            self.tally.count(place.finding)
        if self.form == "html":
            yield from render_html(analysis, self.tally, self.run)
        elif self.form == "json":
            yield render_json(analysis, self.tally, self.run.version)
        else:
            yield render_text(analysis, self.tally)
