from setuptools import setup

setup(
    name="vocoder",
    packages=["vocoder"],
    install_requires=["torch"],
    entry_points={
        "console_scripts": [
            "vocoder-train=vocoder.train:main",
            "vocoder-normalize=vocoder.normalize:main",
        ]
    },
)
