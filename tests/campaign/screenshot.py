"""The picture of docs/campaigns.md, made anew: `python -m tests.campaign.screenshot` (needs Playwright and a Chromium).

The page is that of a real campaign over repositories at the fake forge, with scripts of golden/ in them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bot.hub import serve
from tests.bot.repositories import commit_files, make_bare
from tests.bot.screenshots import IMAGES, ROOT, browser, shoot
from tests.campaign.account import OWNER, Account

SCRIPTS = {
    "bert-pretrain": "amp_clip_accumulate", "detector": "ddp_spawn", "diffusion": "single_gpu",
    "asr-train": "epoch_functions",
    "recsys": "module_level", "segmentation": "ddp_torchrun", "t5-finetune": "trainer_class", "tts": "gan",
}  # fmt: skip
OTHERS = {
    "dashboards": {"app.py": b"print('no training here')\n"},
    "handbook": {"README.md": b"# Handbook\n"},
    "ssl-video": {"train.py": b"import torch\n", ".github/tc-migrate.yml": b"target: cuda\n"},
    "legacy": {"train.py": b"import torch\n", ".github/tc-migrate.yml": b"enabled: false\n"},
}


def main() -> None:
    """Run the campaign and take the picture."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "hub") as hub:
        account = Account(hub, Path(folder), 0)
        for name, script in SCRIPTS.items():
            _add(account, name, {"train.py": (ROOT / "golden" / "scripts" / script / "case.py").read_bytes()})
        for name, files in OTHERS.items():
            _add(account, name, files)
        account.run("--org", OWNER, "--pr", "--max-prs", "6", code=2)
        account.pulls[f"{OWNER}/bert-pretrain"][0].update(state="closed", merged_at="2026-01-01T00:00:00Z")
        account.push_as_person(f"{OWNER}/detector")
        account.call("update", "xla", "--report", "xla.html")
        page = (account.folder / "xla.html").read_text(encoding="utf-8")
    with browser() as chromium:
        shoot(chromium, page, 1100, 900, IMAGES / "campaign.png")


def _add(account: Account, name: str, files: dict[str, bytes]) -> None:
    commit_files(make_bare(account.hub.root / OWNER / f"{name}.git"), files)
    account.hub.state.repositories.append(f"{OWNER}/{name}")


if __name__ == "__main__":
    main()
