from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

estimator = HuggingFace(
    entry_point='train.py',
    role=role,
    instance_count=1,
    instance_type='ml.p3.2xlarge',
    pytorch_version='1.12',
    py_version='py38',
    transformers_version='4.22',
    compiler_config=TrainingCompilerConfig(debug=True),
)
