import os

import torch


def files_to_list(filename):
    with open(filename) as f:
        return [line.rstrip() for line in f]


def main(mel_files, path, output):
    mel_files = files_to_list(mel_files)
    vocoder = torch.load(path)["model"]
    vocoder.cuda().eval()
    for i, file_path in enumerate(mel_files):
        name = os.path.splitext(os.path.basename(file_path))[0]
        mel = torch.load(file_path)
        with torch.no_grad():
            audio = vocoder.infer(mel.cuda())
        torch.save(audio.cpu(), os.path.join(output, name))
