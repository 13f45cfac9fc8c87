import sagemaker
import time

session = sagemaker.Session()
data = f"s3://{session.default_bucket()}/imdb"

from sagemaker.huggingface import HuggingFace

# hyperparameters, which are passed into the training job
hyperparameters={'epochs': 1,
                 'train_batch_size': 32,
                 'model_name':'distilbert-base-uncased'}

huggingface_estimator = HuggingFace(
    entry_point          = 'train.py',        # the training script
    source_dir           = './scripts',       # its folder
    instance_type        = 'ml.p3dn.24xlarge',
    instance_count       = 1,
    role                 = role,              # Iam role used in training job
    transformers_version = '4.26.0',          # transformers
    pytorch_version      = '1.13.1',          # torch
    py_version           = 'py39',            # Python
    distribution         = {'smdistributed':{'dataparallel':{ 'enabled': True }}},
    hyperparameters      = hyperparameters,
)
