import subprocess
import sys

arguments = ' '.join(sys.argv[1:])
subprocess.call(f'python3 -m torch_xla.distributed.sm_dist {arguments}', shell=True)
