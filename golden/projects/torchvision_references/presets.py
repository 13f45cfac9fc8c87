import transforms as T


class ClassificationPresetTrain:
    def __init__(self, mean=(0.1, 0.2, 0.3), std=(0.9, 0.8, 0.7), hflip_prob=0.5):
        trans = []
        if hflip_prob > 0:
            trans.append(T.RandomFlip(hflip_prob))
        trans.append(T.Normalize(mean=mean, std=std))
        self.transforms = T.Compose(trans)

    def __call__(self, img):
        return self.transforms(img)


class ClassificationPresetEval:
    def __init__(self, mean=(0.1, 0.2, 0.3), std=(0.9, 0.8, 0.7)):
        self.transforms = T.Compose([T.Normalize(mean=mean, std=std)])

    def __call__(self, img):
        return self.transforms(img)
