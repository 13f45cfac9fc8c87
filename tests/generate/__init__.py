"""Training programs that nobody wrote: composed from independent choices, migrated, and judged.

What Csmith is for C compilers. A program is a pure function of a vector of choices: `dimensions` says which there are
and which go together, `fragments` and `library` what each is in code, `compose` joins them into files. `verdict` judges
a migration: without running it, then by running both programs in a `server`. `metamorphic` compares spellings that mean
the same, `shrink` makes a failure small. `python -m tests.generate --help`.
"""
