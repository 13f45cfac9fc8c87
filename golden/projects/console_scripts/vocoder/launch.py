import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nproc_per_node", type=int, default=1)
    parser.add_argument("script")
    args = parser.parse_args()
    env = os.environ.copy()
    env["WORLD_SIZE"] = str(args.nproc_per_node)
    workers = []
    for rank in range(args.nproc_per_node):
        env["RANK"] = str(rank)
        env["LOCAL_RANK"] = str(rank)
        workers.append(subprocess.Popen([sys.executable, args.script], env=env))
    for worker in workers:
        worker.wait()


if __name__ == "__main__":
    main()
