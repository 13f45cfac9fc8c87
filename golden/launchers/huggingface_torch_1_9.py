from sagemaker.huggingface import HuggingFace

# hyperparameters which are passed to the training job
hyperparameters = {
    'epochs': 1,
    'train_batch_size': 32,
    'model_name': 'distilbert-base-uncased',
}

huggingface_estimator = HuggingFace(
    entry_point='train.py',
    source_dir='./scripts',
    instance_type='ml.p3.16xlarge',
    instance_count=1,
    role=role,
    transformers_version='4.11',
    pytorch_version='1.9',
    py_version='py38',
    distribution={'smdistributed': {'dataparallel': {'enabled': True}}},
    hyperparameters=hyperparameters,
)
huggingface_estimator.fit({'train': 's3://corpora/imdb/train', 'test': 's3://corpora/imdb/test'})
