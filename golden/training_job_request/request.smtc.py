import boto3

image = '763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-trcomp-training:1.13.1-gpu-py39'
parameters = dict(
    sagemaker_program='train.py',
    sagemaker_training_compiler_enabled='true',
    sagemaker_training_compiler_debug_mode='false',
)

request = {
    'TrainingJobName': 'resnet',
    'AlgorithmSpecification': {'TrainingImage': image, 'TrainingInputMode': 'File'},
    'HyperParameters': parameters,
    'ResourceConfig': {'InstanceType': 'ml.p3.2xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 30},
}
request['RoleArn'] = role

sm = boto3.Session().client('sagemaker')
sm.create_training_job(ProfilerConfig={'DisableProfiler': True}, **request)
