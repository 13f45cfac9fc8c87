from sagemaker.pytorch import PyTorchModel
from sagemaker.workflow.steps import TrainingStep


class PyTorch:
    def __init__(self, **settings):
        self.settings = settings


job = PyTorch(enviroment={"A": "1"})
model = PyTorchModel(model_data="s3://bucket/model.tar.gz", enviroment={"A": "1"})
