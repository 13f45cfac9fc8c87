"""The step of the GitHub Action in `.github/actions/tc-migrate`: `python -I -m migrate.action`."""
