import subprocess

command = ["aws", "s3", "sync", source, target]
status = subprocess.call(command)
if subprocess.run(command).returncode:
    raise SystemExit(1)
process = subprocess.Popen(command, stdout=subprocess.PIPE)
process.wait()
print(process.returncode)
