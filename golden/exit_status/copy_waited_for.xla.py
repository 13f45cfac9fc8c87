import subprocess


def sync(source, target):
    """Copies a folder."""
    command = ["aws", "s3", "sync", "--quiet", source, target]
    # Quiet: the log is long enough.
    subprocess.run(command, check=True)
    print("done")


def check(source):
    if not source:
        raise RuntimeError(f"{source} does not exist")
    raise ValueError('no {unknown}', f"{source}")
