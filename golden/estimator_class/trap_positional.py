from sagemaker.huggingface import HuggingFace

estimator = HuggingFace("py39", "train.py", "4.26", pytorch_version="1.13", role=role, instance_count=1,
                        instance_type="ml.p3.2xlarge")
