import subprocess

subprocess.call(["nvidia-smi"])
subprocess.run(["aws", "configure", "list"])
process = subprocess.Popen(["ls"], stdout=subprocess.PIPE)
process.wait()


def check(path):
    raise RuntimeError("{path} does not exist")
