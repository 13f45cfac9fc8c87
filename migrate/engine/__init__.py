"""The engine behind the doors. Here: the judge, which reads a result again and shares nothing with what wrote it.

`judge.judge` is the one to read first. What is here reads texts only: no links, no facts of a codemod, no I/O.
"""
