"""A launcher of the older containers, through a shell."""
import subprocess
import sys

if __name__ == "__main__":
    arguments_command = " ".join([arg for arg in sys.argv[1:]])
    subprocess.check_call([sys.executable, "-m", "torch_xla.distributed.sm_dist", *sys.argv[1:]])
