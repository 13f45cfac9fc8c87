"""The promises held against any folders of scripts: `python -m tests.scoreboard PATHS...`."""
