import subprocess
import sys
from subprocess import call

subprocess.check_call([sys.executable, "-m", "torch_xla.distributed.sm_dist", *sys.argv[1:]])
subprocess.run(["aws", "s3", "cp", source, target], check=False)
call(["aws", "s3", "cp", source, target])
