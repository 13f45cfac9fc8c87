from sagemaker.huggingface import HuggingFace

kept = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                   transformers_version="4.21", pytorch_version="1.11", py_version="py38")
unknown = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                      transformers_version="4.26", pytorch_version=pytorch_version, py_version="py38")
tensorflow = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                         transformers_version="4.26", tensorflow_version="2.11", py_version="py39")
