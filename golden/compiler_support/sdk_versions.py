import subprocess
import sys

subprocess.check_call([sys.executable, "-m", "pip", "install", "-q", "sagemaker==2.100.0"])
subprocess.check_call([sys.executable, "-m", "pip", "install", "sagemaker>=2.140", "transformers>=4.26"])
subprocess.check_call([sys.executable, "-m", "pip", "install", "sagemaker>=2.133,<3"])

from sagemaker.pytorch import PyTorch

job = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1)
print("sagemaker 3 is not for this")
