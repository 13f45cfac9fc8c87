"""No script that trains: what is wrong with it is not ours to mend."""
import os

os.environ["OMP_NUM_THREADS"] = 4
