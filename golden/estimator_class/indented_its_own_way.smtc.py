from sagemaker.pytorch import PyTorch

huggingface_estimator = PyTorch(entry_point='train.py',
                            source_dir='./scripts',
                            instance_type='ml.p3.2xlarge',
                            instance_count=1,
                            framework_version='1.13.1',
                            py_version='py39')
aligned = PyTorch(entry_point='train.py',
                  source_dir='./scripts',
                  instance_type='ml.p3.2xlarge',
                  instance_count=1,
                  framework_version='1.13.1',
                  py_version='py39')
