"""The ways to train a policy."""

from .clipped import Clipped
