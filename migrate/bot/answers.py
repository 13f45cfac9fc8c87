"""What the bot says to a command: a reaction at once, and at most one comment, whoever asks how often."""

from __future__ import annotations

import time

from migrate.bot.sections import LARGEST
from migrate.forge.github import Forge
from migrate.render.markdown import clip

MOST = 5
"""Answers in one conversation in an hour. What is asked beyond that is done, and answered by a reaction."""
_ANSWER = "<!-- tc-migrate:v1 answer="
_HOUR = 3_600.0


def answer(forge: Forge, number: int, comment: int, text: str, bot: str) -> bool:
    """Answer a comment in the conversation of a pull request, once. Whether it is answered. Raises ForgeError.

    `bot`: its own name there: a comment of somebody else's that looks like an answer is none.
    """
    marker = f"{_ANSWER}{comment} -->\n"
    own = [each for each in forge.comments(number) if each.author == bot and each.body.startswith(_ANSWER)]
    if any(each.body.startswith(marker.rstrip()) for each in own):
        return True
    recent = [each for each in own if each.written is not None and each.written.timestamp() > time.time() - _HOUR]
    if len(recent) >= MOST:
        return False
    forge.comment(number, clip(marker + text, LARGEST - 1_000))
    return True
