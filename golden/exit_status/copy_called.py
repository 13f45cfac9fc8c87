import subprocess

subprocess.call(["aws", "s3", "cp", source, target], cwd="/opt/ml")
subprocess.run(f"aws s3 cp {source} {target}", shell=True)
