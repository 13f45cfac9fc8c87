import subprocess


def sync(source, target):
    """Copies a folder."""
    command = ["aws", "s3", "sync", "--quiet", source, target]
    # Quiet: the log is long enough.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.wait()
    print("done")


def check(source):
    if not source:
        raise RuntimeError("{source} does not exist")
    raise ValueError('no {unknown}', "{source}")
