import boto3
from sagemaker.sklearn import SKLearn
from sagemaker.tensorflow import TensorFlow

session = boto3.Session(region_name="cn-north-1")
other = TensorFlow(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1, py_version="py39")
