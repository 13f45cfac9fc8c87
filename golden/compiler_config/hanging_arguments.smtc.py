import sagemaker
from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

role = sagemaker.get_execution_role()
huggingface_estimator = HuggingFace(entry_point='train.py', role=role,
                                    instance_type='ml.p3.2xlarge', instance_count=1,
                                    transformers_version='4.21.1', pytorch_version='1.11.0',
                                    py_version='py38',  # the only one there is
                                    compiler_config=TrainingCompilerConfig(),
                                    hyperparameters={'model_name': 'distilbert-base-uncased'})
