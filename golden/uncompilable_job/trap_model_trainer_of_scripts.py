"""Version 3 of the SDK: the note says which estimator of version 2 does the same."""
from sagemaker.modules.configs import Compute, SourceCode
from sagemaker.modules.train import ModelTrainer

source = SourceCode(source_dir="src", entry_script="train.py")
trainer = ModelTrainer(
    training_image="763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.2.0-gpu-py310",
    source_code=source,
    compute=Compute(instance_type="ml.p3.16xlarge", instance_count=2),
    hyperparameters={"epochs": 3},
)
trainer.train()
