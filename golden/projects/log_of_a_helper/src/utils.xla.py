import logging


def set_logger(path):
    logging.basicConfig(filename=path, level=logging.INFO, force=True)
