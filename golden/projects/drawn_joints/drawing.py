"""What a person looks at."""


def lines(joints, seen):
    for joint, visible in zip(joints, seen):
        if visible > 0.5:
            yield f"{int(joint[0])}/{int(joint[1])}"


def show(images, meta, epoch):
    for k in range(images.size(0)):
        print(epoch, meta["image"][k], *lines(meta["joints"][k], meta["seen"][k]))
