"""SageMaker's library of distributed training."""
