"""A launcher of the older containers."""
import subprocess
import sys

if __name__ == "__main__":
    arguments = " ".join([argument for argument in sys.argv[1:]])
    subprocess.check_call([sys.executable, "-m", "torch_xla.distributed.sm_dist", *sys.argv[1:]])
