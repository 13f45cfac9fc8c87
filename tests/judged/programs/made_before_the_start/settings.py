import json
import os
import shutil
import time
from datetime import datetime


def get_timestamp():
    return datetime.now().strftime("%y%m%d_%H%M%S")


def mkdirs(paths):
    if isinstance(paths, str):
        os.makedirs(paths, exist_ok=True)


def parse(args):
    opt = {"world": args.world}
    root = os.path.join("runs", "{}_{}".format("base", get_timestamp()))
    mkdirs(root)
    with open(os.path.join(root, "config.json"), "w") as file:
        json.dump(opt, file)
    for name in os.listdir("."):
        if name in ("config", "models"):
            shutil.copytree(name, os.path.join(root, "code", name))
    os.makedirs(f"logs/{time.strftime('%H%M%S')}", exist_ok=True)
    os.makedirs("checkpoints", exist_ok=True)
    opt["root"] = root
    return opt
