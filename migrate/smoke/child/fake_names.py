"""Names of the classes of data sets whose scripts print them or look them up."""

from __future__ import annotations

CLASS_NAMES = {
    "CIFAR10": "airplane automobile bird cat deer dog frog horse ship truck".split(),
    "CIFAR100": (
        "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can "
        "castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin "
        "elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster "
        "man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck "
        "pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk "
        "skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone television tiger "
        "tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm"
    ).split(),
    "STL10": "airplane bird car cat deer dog horse monkey ship truck".split(),
    "VOCDetection": (
        "aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person pottedplant "
        "sheep sofa train tvmonitor"
    ).split(),
    "EuroSAT": (
        "AnnualCrop Forest HerbaceousVegetation Highway Industrial Pasture PermanentCrop Residential River SeaLake"
    ).split(),
    "FER2013": "angry disgust fear happy sad surprise neutral".split(),
}
