import subprocess

subprocess.run(["aws", "s3", "cp", source, target], cwd="/opt/ml", check=True)
subprocess.run(f"aws s3 cp {source} {target}", shell=True, check=True)
