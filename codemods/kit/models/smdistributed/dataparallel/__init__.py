"""SageMaker's data parallelism."""
