"""Suggestions in somebody's pull request: one review for each head, whoever asks how often."""

from __future__ import annotations

from collections.abc import Mapping

from migrate.bot.suggestions import Review, Shown, shown_lines
from migrate.forge.github import Forge

_MARKER = "<!-- tc-migrate:v1 said=suggestions -->\n"


def shown_in(patches: Mapping[str, str]) -> Shown:
    """The lines that a pull request's diff shows, from its files' patches."""
    return {path: shown_lines(patch) for path, patch in patches.items()}


def post_review(forge: Forge, number: int, head: str, review: Review) -> bool:
    """Say it, unless it was said of this head. Whether it was said now. Raises ForgeError."""
    if not review.suggestions:
        return False
    if any(each.commit == head and each.body.startswith(_MARKER.rstrip()) for each in forge.reviews(number)):
        return False
    rest = f" {review.left} more places are better changed in a pull request of their own." if review.left else ""
    body = f"{_MARKER}Edits that move these lines to PyTorch/XLA. They belong together, file by file.{rest}\n"
    forge.review(number, head, body, [each.payload() for each in review.suggestions])
    return True
