"""What is known of a campaign's repositories, as reports show it."""

from __future__ import annotations

from collections.abc import Iterable

from migrate import __version__
from migrate.campaign.record import Record, Stage
from migrate.render.campaign_rows import CampaignReport, CampaignRow


def make_report(name: str, records: Iterable[Record]) -> CampaignReport:
    """The report of these repositories, in their order."""
    return CampaignReport(name, __version__, [make_row(record) for record in records])


def make_row(record: Record) -> CampaignRow:
    """One repository."""
    standing = record.result.value if record.stage is Stage.ANALYSED else record.stage.value
    return CampaignRow(
        record.source.name,
        record.source.kind.value,
        standing,
        record.reason,
        record.error,
        record.retryable,
        record.base,
        record.commit,
        record.branch,
        record.number,
        record.url,
        dict(record.counts),
        record.seconds,
    )
