import os


class Args:
    local_rank = 3


os.environ["RANK"] = "1"
rank = 7
print(os.environ["RANK"], rank % 4, Args().local_rank, "LOCAL_RANK")
