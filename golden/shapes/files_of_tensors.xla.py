import os

import torch
import torch_xla


def files_to_list(filename):
    with open(filename) as f:
        return [line.rstrip() for line in f]


def main(mel_files, path, output):
    mel_files = files_to_list(mel_files)
    vocoder = torch.load(path, map_location="cpu")["model"]
    device = torch_xla.device()
    vocoder.to(device).eval()
    for i, file_path in enumerate(mel_files):
        name = os.path.splitext(os.path.basename(file_path))[0]
        mel = torch.load(file_path, map_location="cpu")
        with torch.no_grad():
            audio = vocoder.infer(mel.to(device))
        torch.save(audio.cpu(), os.path.join(output, name))
