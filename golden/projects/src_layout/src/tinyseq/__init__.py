"""A small package that learns to copy sequences."""
from .data import CopyTask, make_loader
from .modeling import Tagger
from .training import Trainer, make_step

__all__ = ["CopyTask", "Tagger", "Trainer", "make_loader", "make_step"]
