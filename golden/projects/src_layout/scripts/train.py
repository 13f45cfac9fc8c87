"""Trains the tagger: python scripts/train.py"""
import argparse
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tinyseq import CopyTask, Tagger, Trainer, make_loader, make_step


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--output", type=Path, default=Path(tempfile.gettempdir()) / "tagger.pt")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = make_loader(CopyTask(24), args.batch_size)
    test_loader = make_loader(CopyTask(8, seed=1), args.batch_size, shuffle=False)
    model = Tagger().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scaler = torch.cuda.amp.GradScaler()
    trainer = Trainer(model, make_step(model, optimizer, scaler), device)
    trainer.fit(train_loader, args.epochs)
    print(f"accuracy {trainer.evaluate(test_loader):.3f}")
    torch.save(model.state_dict(), args.output)


if __name__ == "__main__":
    main()
