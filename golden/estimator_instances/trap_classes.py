from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

old = PyTorch(entry_point="train.py", role=role, instance_type="ml.p2.xlarge", instance_count=1)
new = PyTorch(entry_point="train.py", role=role, instance_type="ml.p5.48xlarge", instance_count=1)
similar = PyTorch(entry_point="train.py", role=role, instance_type="ml.p4de.24xlarge", instance_count=1)
for_drawing = PyTorch(entry_point="train.py", role=role, instance_type="ml.g4ad.4xlarge", instance_count=1)
on_cpu = PyTorch(entry_point="preprocess.py", role=role, instance_type="ml.m5.xlarge", instance_count=1)
here = PyTorch(entry_point="train.py", role=role, instance_type="local_gpu", instance_count=1)
asked = PyTorch(entry_point="train.py", role=role, instance_type="ml.c5.xlarge", instance_count=1,
                compiler_config=TrainingCompilerConfig())
