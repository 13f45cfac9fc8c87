import subprocess
import sys

arguments = ' '.join(sys.argv[1:])
subprocess.check_call([sys.executable, '-m', 'torch_xla.distributed.sm_dist', *sys.argv[1:]])
