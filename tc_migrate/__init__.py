"""Where `tc-migrate` and `python -m tc_migrate` start; what they do is in the package `migrate`."""
