from sagemaker.sklearn import SKLearnProcessor
from sagemaker.xgboost import XGBoost

processor = SKLearnProcessor("0.23-1", role=role, instance_count=1, instance_type="ml.m5.xlarge")
trees = XGBoost("train.py", framework_version="1.7-1", role=role, instance_count=1, instance_type="ml.m5.xlarge")
