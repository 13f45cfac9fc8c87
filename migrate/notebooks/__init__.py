"""Jupyter notebooks: their cells as one script, and the migrated script back in its cells. Text in, text out."""
