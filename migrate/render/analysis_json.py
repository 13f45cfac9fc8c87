"""An analysis as one JSON object. `analysis.schema.json` says what is in it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from migrate.analysis import Analysis, Place, UsedKernel
from migrate.findings import Effort
from migrate.render.tally import Tally


def render_json(analysis: Analysis, tally: Tally, version: str) -> str:
    """One object, keys and lists in a fixed order."""
    report = {
        "tool": "tc-migrate",
        "version": version,
        "target": analysis.target,
        "shares": {name: round(share, 4) for name, share in asdict(tally.shares).items()},
        "efforts": _efforts(tally.efforts),
        "files": [
            {
                "path": work.file,
                "status": work.status.value,
                "reason": work.reason,
                "effort": work.worst.value,
                "efforts": _efforts(work.efforts),
            }
            for work in analysis.files
        ],
        "manual": [_place(place) | {"effort": place.finding.effort.value} for place in analysis.manual],
        "kernels": [_kernel(used) for used in analysis.kernels],
        "cuda_files": list(analysis.cuda_files),
        "costs": {cost.name.lower(): [_place(place) for place in places] for cost, places in analysis.costs.items()},
        "counts": asdict(tally.counts),
    }
    return json.dumps(report, indent=2) + "\n"


def _efforts(efforts: Counter[Effort]) -> dict[str, int]:
    return {effort.value: efforts[effort] for effort in Effort}


def _place(place: Place) -> dict[str, Any]:
    finding = place.finding
    return {
        "path": place.file,
        "line": finding.line,
        "rule": finding.rule,
        "message": finding.message,
        "advice": finding.advice,
    }


def _kernel(used: UsedKernel) -> dict[str, Any]:
    kernel = used.kernel
    return {
        "kind": kernel.kind,
        "name": kernel.name,
        "path": kernel.file,
        "line": kernel.line,
        "sources": list(kernel.sources),
        "used_by": [[{"name": use.name, "path": use.file, "line": use.line} for use in chain] for chain in used.chains],
    }
