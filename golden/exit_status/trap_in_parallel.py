"""Both run while the script goes on."""
import subprocess

first = subprocess.Popen(["aws", "s3", "cp", source, target])
second = subprocess.Popen(["aws", "s3", "cp", other, target])
prepare()
for process in (first, second):
    process.wait()
