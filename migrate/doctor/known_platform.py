"""Failures of what is below the script: builds that do not fit, the machine, the network, SageMaker itself."""

from __future__ import annotations

from migrate.doctor.failures import Certainty, Clue, Failure

FAILURES = (
    Failure(
        "TCL020",
        "torch and torch_xla are of different builds",
        "torch_xla was built for another torch than the one that is installed: its library looks for a symbol that "
        "this torch does not have. Mostly the job installed a torch, or a torchvision that brings one, over the "
        "container's.",
        "Take torch, torchvision and torchaudio out of requirements.txt. Outside of a container install both of one "
        "version:\n    pip install torch==2.9.0 torch_xla==2.9.0",
        "pytorch/xla issues 2538, 2815, 3215, 7070, 8813",
        (Clue("undefined symbol", r"_XLAC\S{0,120}: undefined symbol: \S{1,400}"),),
        rules=("TC808", "TC806", "TC803"),
        early=True,
    ),
    Failure(
        "TCL021",
        "the processes do not find each other",
        "A process could not reach the service by which the processes of a job find each other: its first process is "
        "gone, or died before it was there, or the network between the machines is closed.",
        "Look for the first message `Exception in device=`: what it says is the cause when a process died. Else open "
        "the security group of the job's machines to itself, and call no collective outside of `_mp_fn`.",
        "pytorch/xla issues 2216, 2360, 2604, 2651, 3107, 4115",
        (
            Clue("Failed to connect to client mesh master"),
            Clue("WaitForConnected", r"channel->WaitForConnected\("),
        ),
        certainty=Certainty.LIKELY,
        follows=("OOM001", "OOM002", "TCL001", "TCL005", "TCL020"),
    ),
    Failure(
        "TCL022",
        "XLA was used before the processes were started",
        "The device was made, or tensors were put on it, in the process that starts the others: each of these sees one "
        "device only.",
        "Make the device, the model and everything on it inside of `_mp_fn`, and start the processes before that.",
        "pytorch/xla issues 2364, 2792, 3947, 9303; Lightning-AI/pytorch-lightning issues 1703, 3169, 7086",
        (Clue("Cannot replicate if number of devices",
              r"Cannot replicate if number of devices \(\d{1,9}\) is different from \d{1,9}"),
         Clue("Runtime is already initialized", r"Runtime is already initialized\. Do not use the XLA")),
        certainty=Certainty.LIKELY,
        rules=("TS004",),
    ),
    Failure(
        "TCL023",
        "a process of several ended with an error",
        "torch_xla ends a process with the exit code 17 after it has printed the error: this is not the cause.",
        "Look for the first message `Exception in device=` above it.",
        "pytorch/xla issue 2604; torch_xla 1.13 xla_multiprocessing.py _mp_start_fn",
        (Clue("terminated with exit code", r"process \d{1,9} terminated with exit code 17\b"),),
        follows=("OOM001", "OOM002", "TCL001", "TCL005", "TCL007", "TCL008", "TCL009", "TCL013", "TCL021", "TCL022"),
    ),
    Failure(
        "TCL024",
        "a name that this torch_xla does not have any more",
        "xm.xrt_world_size, xm.get_ordinal and xm.get_local_ordinal are gone from torch_xla 2.7 on.",
        "Migrate the script for the torch_xla that runs it: `tc-migrate SCRIPT --target torch-xla==2.9`.",
        "pytorch/xla pull request 7679; torch_xla 2.9 xla_model.py",
        (Clue("has no attribute", r"module 'torch_xla\.core\.xla_model' has no attribute "
              r"'(?:xrt_world_size|get_ordinal|get_local_ordinal)'"),),
    ),
    Failure(
        "TCL025",
        "a check inside of XLA failed",
        "XLA's compiler for GPUs stopped at a check of its own: a fault of this version, not of the script's Python.",
        "Try another version of torch_xla, and without the operation named above it.",
        "pytorch/xla issue 5089; openxla/xla issue 47360",
        (Clue("ShapeUtil::Compatible", r"ShapeUtil::Compatible\("), Clue("Check failed: ShapeUtil::Compatible")),
        certainty=Certainty.LIKELY,
    ),
    Failure(
        "TCL026",
        "XLA does not find CUDA's libdevice",
        "XLA compiles for the GPU with a file of CUDA's toolkit, which is not where it looks.",
        "Name the folder of the toolkit:\n    XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda\n"
        "in the job's environment. The Training Compiler's containers have it in its place.",
        "jax-ml/jax issue 6323; tensorflow/tensorflow issue 60790",
        (Clue("libdevice", r"libdevice (?:is required by this HLO module but was )?not found at"),),
    ),
    Failure(
        "AMP001",
        "a gradient scaler found no gradients",
        "`scaler.step(optimizer)` saw no gradient of the optimizer's parameters: nothing is trained by it, or its "
        "parameters are those of before the model was moved.",
        "Move the model before its optimizer is made, and see that the loss depends on what the optimizer has.",
        "huggingface/accelerate issue 328; torch 1.13 cuda/amp/grad_scaler.py step",
        (Clue("No inf checks were recorded for this optimizer"),),
        certainty=Certainty.LIKELY,
        rules=("TC110", "TC115", "TC120"),
    ),
    Failure(
        "MEM001",
        "the shared memory is full",
        "The workers of a DataLoader hand batches over in /dev/shm, which is full.",
        "Fewer workers (`num_workers`), smaller batches, or\n"
        '    torch.multiprocessing.set_sharing_strategy("file_system")\nin the script, also in each worker.',
        "aws/sagemaker-python-sdk issue 5592; pytorch/pytorch issues 5040, 108861",
        (
            Clue("is killed by signal: Bus error", r"DataLoader worker \(pid \d{1,9}\) is killed by signal: Bus error"),
            Clue("Unexpected bus error encountered in worker"),
        ),
    ),
    Failure(
        "DSK001",
        "the disk is full",
        "Something was written where there is no room any more.",
        "Give the estimator a larger `volume_size`, keep fewer checkpoints, and read with input_mode=\"FastFile\".",
        "SageMaker: training, storage; errno 28",
        (Clue("No space left on device", r"\[Errno 28\]|No space left on device"),),
    ),
    Failure(
        "QUO002",
        "SageMaker has no such machine free",
        "SageMaker could not get the machines for the job: the region has none of this type free now.",
        "Start it again later, or with another instance type or region; `max_wait` and spot instances do not help.",
        "aws/sagemaker-pytorch-training-toolkit pull request 171; DIAGNijmegen/rse-grand-challenge issue 2631",
        (Clue("Unable to provision requested ML compute capacity"),),
        early=True,
    ),
    Failure(
        "UPL001",
        "what the job wrote does not get to S3",
        "The machines of the job cannot reach S3, or may not write there: the network of the job has no way out.",
        "Give the subnet's route table a route to an S3 endpoint of the VPC or to a NAT, and allow outbound traffic "
        "in the security groups; give the role s3:PutObject on the output path.",
        "aws/amazon-sagemaker-operator-for-k8s pull request 22",
        (Clue("Artifact upload failed"),),
        certainty=Certainty.LIKELY,
    ),
    Failure(
        "SMD003",
        "a reduction that the data parallel library does not have",
        "The backend `smddp` takes no ReduceOp.AVG and other operations of all_reduce.",
        "Under the Training Compiler the library is gone: let `tc-migrate SCRIPT --write` replace it. On CUDA reduce "
        "by SUM and divide by the number of processes.",
        "aws/amazon-sagemaker-examples issue 3967; Lightning-AI/pytorch-lightning issue 20409",
        (Clue("SMDDP does not support"),),
        rules=("TS006",),
    ),
)  # fmt: skip
