"""Libraries that make a command line of a function run that function."""

from __future__ import annotations

import pytest

from tests.meaning.programs import run

_TRAINS = """
import torch
def train(epochs=3, device="cuda"):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        model(torch.ones(2, 4).to(device)).sum().backward()
        optimizer.step()
{}
"""
_COMMANDS = {
    "absl": """
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 3, "how many")
def main(argv):
    train(FLAGS.epochs)
if __name__ == "__main__":
    app.run(main)
""",
    "fire": "import fire\nfire.Fire(train)",
    "fire, of several": 'import fire\nfire.Fire({"fit": train, "test": print})',
    "click": """
import click
@click.command()
@click.option("--epochs", default=3)
@click.pass_context
def main(context, epochs):
    train(epochs)
main()
""",
    "click, in a group": """
import click
@click.group()
def commands():
    pass
@commands.command()
@click.argument("epochs")
def fit(epochs):
    train(epochs)
commands()
""",
    "typer": """
import typer
app = typer.Typer()
@app.command()
def main(epochs: int = 3):
    train(epochs)
app()
""",
    "typer, a function": "import typer\ntyper.run(train)",
    "plac": "import plac\nplac.call(train)",
    "jsonargparse": "from jsonargparse import CLI\nCLI(train)",
    "sacred": """
from sacred import Experiment
experiment = Experiment("a")
@experiment.automain
def main(epochs, _run):
    train(epochs)
""",
    "configargparse": """
import configargparse
parser = configargparse.ArgParser()
parser.add("--epochs", type=int)
train(parser.parse_args().epochs)
""",
}


@pytest.mark.parametrize("command", _COMMANDS.values(), ids=list(_COMMANDS))
def test_what_a_command_line_starts_is_followed(command: str) -> None:
    called = [one.kind for one in run(_TRAINS.format(command)).called]
    assert "backward" in called
    assert "step" in called


def test_a_parameter_that_is_an_option_is_what_it_is_by_default() -> None:
    places = {
        place
        for one in run(_TRAINS.format("import fire\nfire.Fire(train)"), cuda=True).record.of("devices")
        for place in one.about[0]
    }
    assert places == {"cuda"}
