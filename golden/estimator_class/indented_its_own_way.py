from sagemaker.huggingface import HuggingFace

huggingface_estimator = HuggingFace(entry_point='train.py',
                            source_dir='./scripts',
                            instance_type='ml.p3.2xlarge',
                            instance_count=1,
                            transformers_version='4.26',
                            pytorch_version='1.13',
                            py_version='py39')
aligned = HuggingFace(entry_point='train.py',
                      source_dir='./scripts',
                      instance_type='ml.p3.2xlarge',
                      instance_count=1,
                      transformers_version='4.26',
                      pytorch_version='1.13',
                      py_version='py39')
