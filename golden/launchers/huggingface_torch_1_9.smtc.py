from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

# hyperparameters which are passed to the training job
hyperparameters = {
    'epochs': 1,
    'train_batch_size': 32,
    'model_name': 'distilbert-base-uncased',
    'training_script': 'train.py',
}

huggingface_estimator = HuggingFace(
    entry_point='distributed_training_launcher.py',
    source_dir='./scripts',
    instance_type='ml.p3.16xlarge',
    instance_count=1,
    role=role,
    transformers_version='4.11',
    pytorch_version='1.9',
    py_version='py38',
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters=hyperparameters,
)
huggingface_estimator.fit({'train': 's3://corpora/imdb/train', 'test': 's3://corpora/imdb/test'})
