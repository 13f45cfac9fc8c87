import subprocess
import sys


def main():
    command = [sys.executable, "-m", "torch_xla.distributed.xla_spawn", *sys.argv[1:]]
    subprocess.run(command, check=True)
