"""SageMaker's data parallelism for PyTorch."""
