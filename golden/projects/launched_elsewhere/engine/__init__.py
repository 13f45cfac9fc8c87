"""What a training script needs to start."""

from .launch import launch
