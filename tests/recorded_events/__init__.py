"""What the engine predicts of a program's training, against what the program did when it ran.

An original is run on the stand-in for CUDA, its migration on real torch_xla 2.9, each in one process, and each line's
deeds are kept. The same texts are executed abstractly. A deed that no event predicts is a hole in the engine.
"""
