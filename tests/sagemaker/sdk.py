"""Runs launchers in the environment of the SDK: `sdk.py` reads JSON from stdin and writes JSON to stdout.

In: `{"name": "text of a launcher", ...}`. Out: for each name, every estimator it makes, as the SDK sees it. Nothing is
sent anywhere: the session is a stand-in, and `fit` does not start a job.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock, patch

REGION = "us-west-2"
ROLE = "arn:aws:iam::123456789012:role/sagemaker"


def main() -> None:
    """Answer what is asked on stdin."""
    os.environ.update(AWS_DEFAULT_REGION=REGION, SAGEMAKER_SUPPRESS_V2_WARNING="1")
    sys.modules["torch"] = MagicMock()  # a launcher may ask it for the GPUs of this computer
    launchers = json.load(sys.stdin)
    answers = {}
    with contextlib.redirect_stdout(sys.stderr):
        for name, text in launchers.items():
            answers[name] = run(name, text)
    json.dump(answers, sys.stdout)


def run(name: str, text: str) -> dict[str, Any]:
    """What one launcher makes: its estimators, and the error it stopped with, if any.

    An estimator whose constructor or whose image fails has an `error`; the others have `image` and `hyperparameters`.
    """
    estimators: list[dict[str, Any]] = []
    failure = ""
    module = types.ModuleType("__main__")
    module.__dict__.update(role=ROLE, __file__=name)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, stand_ins(estimators):
        os.chdir(folder)
        sys.argv = [name]
        try:
            exec(compile(text, name, "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            failure = f"{type(error).__name__}: {error}"
        finally:
            os.chdir(here)
    return {"estimators": estimators, "failure": failure}


@contextlib.contextmanager
def stand_ins(estimators: list[dict[str, Any]]) -> Iterator[None]:
    """AWS is not asked, and every estimator that is made is written down."""
    import boto3
    import sagemaker
    from sagemaker.estimator import EstimatorBase
    from sagemaker.huggingface import HuggingFace
    from sagemaker.pytorch import PyTorch

    session = MagicMock(boto_region_name=REGION, config=None, local_mode=False, default_bucket_prefix=None)
    session.sagemaker_config = {}
    session.default_bucket.return_value = "bucket"
    with contextlib.ExitStack() as stack:
        for owner, name, instead in (
            (sagemaker, "Session", lambda *args, **kwargs: session),
            (sagemaker.session, "Session", lambda *args, **kwargs: session),
            (sagemaker, "get_execution_role", lambda *args, **kwargs: ROLE),
            (boto3, "Session", lambda *args, **kwargs: MagicMock(region_name=REGION)),
            (boto3, "client", MagicMock()),
            *((subprocess, name, MagicMock()) for name in ("Popen", "call", "check_call", "check_output", "run")),
            (os, "system", MagicMock()),
            (EstimatorBase, "fit", lambda self, *args, **kwargs: None),
            (PyTorch, "__init__", recorded(PyTorch.__init__, estimators, session)),
            (HuggingFace, "__init__", recorded(HuggingFace.__init__, estimators, session)),
        ):
            stack.enter_context(patch.object(owner, name, instead))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield


def recorded(made: Any, estimators: list[dict[str, Any]], session: Any) -> Any:
    """The constructor of an estimator, which also asks for its image, as `fit` would.

    What it raises is written down, so that the launcher goes on with its next estimator.
    """

    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        seen: dict[str, Any] = {"class": type(self).__name__}
        estimators.append(seen)
        try:
            made(self, *args, **{"role": ROLE, **kwargs, "sagemaker_session": session})
            seen["image"] = self.training_image_uri()
            seen["hyperparameters"] = self.hyperparameters()
        except Exception as error:
            seen["error"] = f"{type(error).__name__}: {error}"

    return make


if __name__ == "__main__":
    main()
