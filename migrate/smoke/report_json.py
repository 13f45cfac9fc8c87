"""A proof as one JSON object, for other programs. The schema is documented in docs/smoke.md."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from migrate.smoke.judgement import Pair, Proof
from migrate.smoke.record import Run
from migrate.smoke.report_rows import Row, list_rows

SCHEMA = 1
"""Raised when a key is removed or changes its meaning; new keys do not raise it."""
LAST = 2000
"""Characters kept of what a run printed."""


def render_json(proof: Proof, version: str) -> str:
    """One object, keys in a fixed order. What is not a finite number is null."""
    report = {
        "tool": "tc-migrate",
        "version": version,
        "schema": SCHEMA,
        "script": proof.script,
        "target": proof.target,
        "verdict": proof.verdict.value,
        "reasons": list(proof.reasons),
        "steps": proof.steps,
        "strict": proof.strict,
        "fake_data": proof.fake_data,
        "migration": describe_migration(proof),
        "modules": [module.path for module in proof.modules],
        "pairs": [describe_pair(pair) for pair in proof.pairs],
    }
    return json.dumps(finite(report), indent=2) + "\n"


def describe_migration(proof: Proof) -> dict[str, Any] | None:
    """How the migration ended; None for one made by hand."""
    migration = proof.migration
    if migration is None:
        return None
    return {
        "status": migration.status.value,
        "reason": migration.reason,
        "edits": len(migration.changes),
        "notes": [
            {"rule": note.rule, "line": note.line, "severity": note.severity.value, "message": note.message}
            for note in migration.notes
        ],
    }


def describe_pair(pair: Pair) -> dict[str, Any]:
    """An original and its twin: what was compared, and both runs."""
    comparison = None
    if pair.comparison is not None:
        found = pair.comparison
        comparison = {
            "same": found.same,
            "reasons": list(found.reasons),
            "divergent_step": found.divergent_step,
            "loss_difference": found.loss_difference,
            "gradient_difference": found.gradient_difference,
            "parameter_difference": found.parameter_difference,
            "worst_parameter": found.worst_parameter,
            "worst_difference": found.worst_difference,
            "compared_losses": found.compared_losses,
            "evidence": {name: asdict(share) for name, share in found.evidence.shares()},
            "tolerance": {name: value for name, value in asdict(found.tolerance).items() if name != "each"},
            "notes": list(found.notes),
        }
    return {
        "workers": pair.workers,
        "verdict": pair.verdict.value,
        "backend": pair.backend,
        "ranks_only": pair.ranks_only,
        "steadiness": {
            "unsteady_step": pair.steadiness.step,
            "how": pair.steadiness.how,
            "pinned": [{"what": what, "site": site} for what, site in pair.steadiness.pinned],
            "unseeded": pair.steadiness.unseeded,
        },
        "settled": pair.settled,
        "resume": pair.resume,
        "alone": pair.alone,
        "comparison": comparison,
        "steps": [describe_row(row) for row in list_rows(pair)],
        "findings": [asdict(finding) for finding in pair.findings],
        "original": None if pair.original is None else describe_run(pair.original),
        "migrated": describe_run(pair.migrated),
    }


def describe_row(row: Row) -> dict[str, Any]:
    """One optimizer step."""
    return {
        "step": row.step,
        "original": row.original,
        "migrated": row.migrated,
        "difference": row.difference,
        "allowed": row.allowed,
        "compared": row.compared,
        "compiled": row.graphs.compiled if row.graphs else None,
        "executed": row.graphs.executed if row.graphs else None,
    }


def describe_run(run: Run) -> dict[str, Any]:
    """How one script ended, and each of its training processes in brief."""
    return {
        "ending": run.ending.value,
        "reason": run.reason,
        "backend": run.backend.value if run.backend else None,
        "seconds": round(run.seconds, 2),
        "enclosure": list(run.enclosure),
        "not_granted": list(run.not_granted),
        "workers": [
            {
                "rank": worker.rank,
                "steps": list(worker.steps),
                "losses": [value for _, value in worker.losses],
                "counters": worker.counters,
                "versions": worker.versions,
                "device": worker.device,
                "memory": worker.memory,
                "steps_per_second": worker.steps_per_second,
            }
            for worker in run.workers
        ],
        "output": run.output[-LAST:],
    }


def finite(value: Any) -> Any:
    """The same with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, (list, tuple)) else value
