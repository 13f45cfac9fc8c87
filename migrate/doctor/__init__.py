"""Failed training jobs: what the known failures are, and which of them a log shows."""
