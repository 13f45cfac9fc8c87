"""Programs that are broken on purpose after their migration, and changed harmlessly: what the verdict makes of each.

`python -m tests.smoke.breakages --write` runs all and writes the table of docs/smoke.md.
"""
