"""Failures of memory, GPUs, and of processes that talk to each other; and jobs that stand still."""

from __future__ import annotations

from migrate.doctor.failures import Certainty, Clue, Failure, Sign

_DATA_PARALLEL = "SageMaker: data parallel troubleshooting"
_MODEL_PARALLEL = "SageMaker: model parallel troubleshooting"
_SECURITY_GROUP = (
    "With a VPC and EFA instances: open the security group of the job's subnets, under Inbound rules add \"All "
    'traffic" '
    "with the group itself as the source, under Outbound rules the same with the group itself as the destination "
    "(and a rule to any address for the internet). Then run the job again."
)
_TORCH_ALLOCATOR = (
    "PyTorch's own allocator says so and not XLA: in a compiled job look whether the model is on the XLA device"
)
OUT_OF_MEMORY = ("ECC001", "OOM001", "OOM002")
CRASHES = (
    *OUT_OF_MEMORY,
    "TCL001",
    "TCL003",
    "TCL005",
    "TCL007",
    "TCL008",
    "TCL009",
    "TCL012",
    "TCL017",
    "CKP002",
    "DBG002",
    "DBG003",
    "SMD001",
    "SMP001",
)
"""What ends one process, for which others then wait in vain."""

FAILURES = (
    Failure(
        "ECC001",
        "a GPU is broken",
        "A GPU of the cluster reports memory errors that cannot be corrected. Nothing in the script is wrong.",
        "Start the job again from the last checkpoint: it will most likely get other machines. If it happens "
        "again give AWS Support the ARN of the job.",
        f"{_MODEL_PARALLEL}, stalling or crashing jobs",
        (
            Clue("uncorrectable ECC error"),
            Clue("CUDA_ERROR_ECC_UNCORRECTABLE"),
            Clue("Xid (PCI", r"\bXid \(PCI[^\n)]{0,40}\): (?:48|63|64|94|95)\b"),
        ),
    ),
    Failure(
        "OOM001",
        "a GPU is out of memory (CUDA)",
        "A process asked for more memory than its GPU has left.",
        "Lower the batch size of a process, and the learning rate with it. If the job ran before with the same "
        "configuration a GPU may have less memory than usual: run it again.",
        f"{_MODEL_PARALLEL}, stalling or crashing jobs",
        (
            Clue("CUDA out of memory", hint=_TORCH_ALLOCATOR),
            Clue("torch.cuda.OutOfMemoryError", hint=_TORCH_ALLOCATOR),
            Clue("torch.OutOfMemoryError", hint=_TORCH_ALLOCATOR),
            Clue("CUDA_ERROR_OUT_OF_MEMORY"),
            Clue("CUDA error: out of memory"),
        ),
        follows=("ECC001",),
        rules=("LC18", "TS017"),
    ),
    Failure(
        "OOM002",
        "XLA or the host is out of memory",
        "XLA could not place a compiled graph in the memory of the device, or the system killed the process "
        "because the host had no memory left.",
        "On the device: lower the batch size of a process, and the learning rate with it; the batch size that "
        "fits under the compiler is another than without it. On the host: fewer workers of the DataLoader, or an "
        "instance with more memory.",
        f"{_MODEL_PARALLEL}, stalling or crashing jobs; SageMaker: Training Compiler, best practices",
        (
            Clue("RESOURCE_EXHAUSTED", r"RESOURCE_EXHAUSTED(?!: (?:Received|Sent|SERVER:|CLIENT:)[^\n]{0,40}message)"),
            Clue("Out of memory while trying to allocate", r"Out of memory while trying to allocate \d+"),
            Clue("Out of memory allocating", r"Out of memory allocating \d+ bytes"),
            Clue("killed by SIGKILL", r"\bkilled by (?:signal:? )?SIGKILL", "a kill from outside: memory of the host"),
            Clue("terminated with signal SIGKILL", hint="a kill from outside: memory of the host"),
            Clue("died with <Signals.SIGKILL", hint="a kill from outside: memory of the host"),
        ),
        certainty=Certainty.LIKELY,
        follows=("ECC001",),
        rules=("LC18", "TS011"),
    ),
    Failure(
        "NCL001",
        "NCCL: a system call failed",
        "NCCL could not open a socket or shared memory, or a process ran out of GPU memory beside it.",
        f"First the network: {_SECURITY_GROUP} In a container of your own give it enough shared memory. Then memory: "
        "lower the batch size (or `active_microbatches`). With the model parallel library let processes_per_host "
        "be the number of GPUs of an instance.",
        f"{_MODEL_PARALLEL}, NCCL error",
        (
            Clue("unhandled system error", r"ProcessGroupNCCL\.cpp:\d{1,6}, unhandled system error"),
            Clue("ncclSystemError: System call"),
        ),
        Certainty.LIKELY,
        follows=OUT_OF_MEMORY,
        rules=("SM023",),
    ),
    Failure(
        "NCL002",
        "NCCL met a CUDA error",
        "A CUDA call inside NCCL failed: the reason is an error of a GPU or of its memory, of this process or another.",
        "Look at the first error of any rank before this one. Alone: lower the batch size, and run again on "
        "other machines.",
        f"{_MODEL_PARALLEL}, NCCL error",
        (Clue("unhandled cuda error"),),
        Certainty.LIKELY,
        follows=OUT_OF_MEMORY,
    ),
    Failure(
        "TCL013",
        "a process waits for others that do not come",
        "All processes have to reach a rendezvous, and xm.save has one at its end. One has ended with an error, "
        "or goes another way: a save, a barrier or an evaluation that only rank 0 reaches.",
        "Call it on every rank, without a guard:\n"
        "    xm.save(model.state_dict(), path)   # not under `if rank == 0:`\n"
        "If another error stands above, mend that first.",
        f"torch_xla 1.13 core/xla_model.py save; {_DATA_PARALLEL}, stalling at the end",
        (Clue("Failed to meet rendezvous"),),
        Certainty.LIKELY,
        follows=(*CRASHES, "NCL001", "NCL002"),
        rules=("TS016", "TS022", "TC517", "TC518"),
    ),
    Failure(
        "STL-init",
        "the job stands still while processes connect",
        "The processes have begun to look for each other and have not finished. The usual reason is a security "
        "group that does not let the hosts talk to each other.",
        _SECURITY_GROUP,
        f"{_DATA_PARALLEL}, stalling during initialization; {_MODEL_PARALLEL}, stalling or crashing jobs",
        (
            Clue("Timed out initializing process group"),
            Clue("Connection between the hosts", r"Connection between the hosts couldn'?t (?:be )?establish"),
        ),
        Certainty.HEURISTIC,
        follows=CRASHES,
    ),
    Failure(
        "STL-end",
        "the job stands still because ranks have different numbers of batches",
        "Some ranks wait for gradients of others that have finished: they had fewer batches.",
        "Give every rank the same number of batches:\n"
        "    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, drop_last=True)\n"
        "    loader = DataLoader(dataset, batch_size=..., sampler=sampler, drop_last=True)\n"
        "(Trainer: dataloader_drop_last=True.) And let every rank evaluate, not rank 0 alone.",
        f"{_DATA_PARALLEL}, stalling at the end of training",
        (Clue("Watchdog caught collective operation timeout"),),
        Certainty.HEURISTIC,
        follows=(*CRASHES, "NCL001", "NCL002"),
        rules=("TS012", "TS022", "TC223", "SM029"),
    ),
    Failure(
        "STL-ckpt",
        "the job stands still while it saves a checkpoint",
        "With the model parallel library state_dict() has to be called on all ranks that hold a part: those with "
        "rdp_rank() == 0 (tensor parallelism) or dp_rank() == 0 (pipeline parallelism).",
        "Call state_dict() of the model and the optimizer on all those ranks; guard only the writing.",
        f"{_MODEL_PARALLEL}, stalling when checkpointing",
        certainty=Certainty.HEURISTIC,
        rules=("TS007", "SM020"),
    ),
    Failure(
        "SMD001",
        "the backend smddp does not exist here",
        "The script starts its process group with SageMaker's data parallel backend, which the container does "
        "not have.",
        "For the Training Compiler take it out: `tc-migrate SCRIPT --write` does it, and the launcher has set up all "
        "processes. Without the compiler the estimator needs\n"
        '    distribution={"smdistributed": {"dataparallel": {"enabled": True}}},\n'
        "and the script `import smdistributed.dataparallel.torch.torch_smddp`.",
        "SageMaker: Training Compiler FAQ; data parallel library, release notes 1.4.0",
        (Clue("smddp", r"(?:Invalid backend:?|unknown c10d backend type|Unknown backend type) ['\"]?smddp\b"),),
        rules=("TS006", "SM002"),
        early=True,
    ),
    Failure(
        "SMD002",
        "the data parallel library's own API is deprecated",
        "smdistributed.dataparallel.torch is deprecated since version 1.4: torch.distributed with "
        'backend="smddp" took its '
        "place. Nothing fails yet; the Training Compiler works with neither.",
        "`tc-migrate SCRIPT --write` replaces both by torch_xla.",
        "SageMaker: data parallel library, release notes 1.4.0",
        (
            Clue(
                "smdistributed",
                r"smdistributed\.dataparallel[^\n]{0,200}\bdeprecat|\bdeprecat[^\n]{0,200}smdistributed\.dataparallel",
            ),
        ),
        rules=("TS006",),
        harmless=True,
    ),
    Failure(
        "SMP001",
        "the model parallel library calls a module without end",
        "A class that the model parallel library has wrapped calls super().forward(), which leads back to itself.",
        "Call the base class by name: `Base.forward(self, x)`. The Training Compiler does not work with this "
        "library: for a compiled job it has to go.",
        "SageMaker: model parallel library FAQ",
        (Clue("RecursionError: maximum recursion depth exceeded"),),
        Certainty.LIKELY,
        rules=("TS007", "SM020"),
        needs=Sign.MODEL_PARALLEL,
    ),
)
