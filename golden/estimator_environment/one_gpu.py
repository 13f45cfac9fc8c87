from sagemaker.huggingface import HuggingFace

settings = dict(transformers_version='4.17', pytorch_version='1.10', py_version='py38', instance_count=1)

number = HuggingFace(entry_point='run.py', instance_type='ml.p3.2xlarge', environment={'GPU_NUM_DEVICES': 1}, **settings)
wrong = HuggingFace(entry_point='run.py', instance_type='ml.g4dn.xlarge', environment={'GPU_NUM_DEVICES': '8'},
                    **settings)
right = HuggingFace(entry_point='run.py', instance_type='ml.p3.2xlarge', environment={'GPU_NUM_DEVICES': '1'}, **settings)
