"""Programs that are right, broken on purpose in known ways: does the judge say so, and at the right line?

`texts` changes a text, `planting` knows what is in it, `kinds_*` are the ways to break a program, `scoring` judges what
comes out. `python -m tests.judge_mutants` prints the table.
"""
