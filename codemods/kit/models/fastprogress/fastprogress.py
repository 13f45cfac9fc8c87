"""fastprogress.fastprogress."""

from fastprogress import master_bar, progress_bar
