from sagemaker.modules.configs import Compute, SourceCode
from sagemaker.modules.train import ModelTrainer

trainer = ModelTrainer(
    training_image="763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.2.0-gpu-py310",
    source_code=SourceCode(source_dir="src", entry_script="train.py"),
    compute=Compute(instance_type="ml.g5.xlarge", instance_count=1),
)
trainer.train()
