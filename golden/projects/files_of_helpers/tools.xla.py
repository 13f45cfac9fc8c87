import json
import os
import shutil


def fresh_folder(path):
    if os.path.exists(path):
        shutil.rmtree(path)
    os.makedirs(path, exist_ok=True)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def save_json(values, path):
    with open(path, "w") as file:
        json.dump(values, file)
