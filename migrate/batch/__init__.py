"""Many files at once: which of them concern each other, who works on what, and what is known from the last run."""
