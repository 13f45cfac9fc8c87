"""Say which arguments of an estimator the SDK does not know.

The estimators take any keyword and pass it on to nothing: `enviroment=` or `env=` starts the job without the
environment, and nobody is told. What was meant is a guess, so nothing is edited.
"""

from __future__ import annotations

from difflib import get_close_matches

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.estimators import HUGGINGFACE, PYTORCH, Estimator
from codemods.kit.jobs import read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_COMMON = """
base_job_name checkpoint_local_path checkpoint_s3_uri code_location compiler_config container_arguments
container_entry_point container_log_level debugger_hook_config dependencies disable_output_compression disable_profiler
distribution enable_infra_check enable_network_isolation enable_remote_debug enable_sagemaker_metrics
enable_session_tag_chaining encrypt_inter_container_traffic entry_point environment git_config hyperparameters image_uri
input_mode instance_count instance_groups instance_placement_config instance_type keep_alive_period_in_seconds
max_retry_attempts max_run max_wait metric_definitions model_channel_name model_uri output_kms_key output_path
profiler_config py_version role rules sagemaker_session security_group_ids source_dir subnets tags
tensorboard_output_config training_plan training_repository_access_mode training_repository_credentials_provider_arn
use_spot_instances volume_kms_key volume_size
""".split()
_OWN = {
    PYTORCH: ("framework_version", "recipe_overrides", "training_recipe"),
    HUGGINGFACE: ("pytorch_version", "tensorflow_version", "transformers_version"),
}
_MEANT = {"env": "environment", "envs": "environment", "env_vars": "environment", "image": "image_uri",
          "script": "entry_point", "version": "framework_version", "use_spot": "use_spot_instances",
          "hparams": "hyperparameters", "distributed": "distribution"}  # fmt: skip
_SOURCE = "SageMaker Python SDK 2.257.7 sagemaker/estimator.py: EstimatorBase and Framework take **kwargs"


class EstimatorKeywords(Codemod):
    """Say which arguments of an estimator the SDK does not know."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM019", "an argument that the SDK does not know, and ignores", Safety.NOTE, Severity.WARNING,
             "give it under the SDK's name, or leave it out", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", enviroment={"NCCL_DEBUG": "info"})\n'
        ),
    )

    def rewrite(self) -> None:
        said: set[cst.CSTNode] = set()
        for job in read_jobs(self.script, self.edits.target):
            own = job.estimator
            known = {*_COMMON, *_OWN.get(own.name, ())}
            for keyword, argument in own.arguments.items():
                if own.name in _OWN and keyword not in known and argument.node not in said:
                    said.add(argument.node)
                    self.note("SM019", argument.node, self._meant(own, keyword, known))

    def _meant(self, own: Estimator, keyword: str, known: set[str]) -> str:
        """The message, with the name that is likely meant."""
        close = [_MEANT[keyword]] if keyword in _MEANT else get_close_matches(keyword, sorted(known), 1, 0.75)
        meant = f"; {close[0]} is meant?" if close and close[0] in known else ""
        return f"{own.framework} has no argument {keyword}{meant}"
