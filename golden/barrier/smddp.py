import smdistributed.dataparallel.torch.distributed as herring


class Job:
    def run(self):
        herring.barrier()

        def inner():
            herring.barrier()

        inner()
        herring.barrier()
