from sagemaker.huggingface import HuggingFace, HuggingFaceModel

train = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                    transformers_version="4.26", pytorch_version="1.13", py_version="py39")
old = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                  transformers_version="4.17", pytorch_version="1.10", py_version="py38")
model = HuggingFaceModel(role=role, transformers_version="4.26", pytorch_version="1.13", py_version="py39")
