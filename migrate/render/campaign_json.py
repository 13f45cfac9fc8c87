"""A campaign as one JSON object. `campaign.schema.json` says what is in it."""

from __future__ import annotations

import json
from dataclasses import asdict

from migrate.render.campaign_rows import CampaignReport

SCHEMA = 1
"""Raised when a key is removed or changes its meaning; new keys do not raise it."""


def render_json(report: CampaignReport) -> str:
    """One object, keys in a fixed order."""
    whole = {
        "tool": "tc-migrate",
        "version": report.version,
        "schema": SCHEMA,
        "campaign": report.name,
        "counts": report.counts,
        "repositories": [asdict(row) for row in report.rows],
    }
    return json.dumps(whole, indent=2) + "\n"
