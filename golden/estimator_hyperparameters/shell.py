from sagemaker.pytorch import PyTorch

NAME = "first try"

estimator = PyTorch(
    entry_point="train.py",
    instance_type="ml.p3.8xlarge",
    instance_count=1,
    hyperparameters={
        "name": NAME,
        "filter": "x<3;y",
        "layers": [1, 2],
        "model": "bert-base-uncased",
        "data": "s3://bucket/a,b",
        "epochs": 3,
    },
)
