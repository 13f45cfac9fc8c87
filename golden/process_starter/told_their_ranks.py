import os
import subprocess
import sys

size = int(sys.argv[1])
workers = [
    subprocess.Popen([sys.executable, "train.py"], env=dict(os.environ, WORLD_SIZE=str(size), RANK=str(rank)))
    for rank in range(size)
]
for rank in range(size):
    subprocess.Popen([sys.executable, "train.py", "--local_rank=%d" % rank])
sys.exit(max(worker.wait() for worker in workers))
