"""Approach 3 of the vendor's page, and its relatives."""
import os

import torch

os.environ["GPU_NUM_DEVICES"] = "4"
os.environ['RATE'] = "0.5"
workers = 8
os.environ["WORKERS"] = str(workers)  # a name for a number
os.environ["TWICE"] = str(2 * workers)
os.putenv("THREADS", "1")
