import torch_xla.core.xla_model as xm


class Job:
    def run(self):
        xm.rendezvous("run")

        def inner():
            xm.rendezvous("inner")

        inner()
        xm.rendezvous("run_2")
