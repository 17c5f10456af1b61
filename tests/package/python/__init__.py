"""Finds the programs of RecallKit that this package installed."""

import os
import sys
import sysconfig

__all__ = ["find_program"]


def find_program(name="recall-kit-client"):
    """Returns the path of ``recall-kit-client`` or ``recall-kit-server``."""
    file = name + (sysconfig.get_config_var("EXE") or "")
    # The last two are where `pip install --target` and `pip install --prefix` put programs.
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=_user_scheme()),
        os.path.join(os.path.dirname(here), "bin"),
        os.path.normpath(os.path.join(here, "..", "..", "..", "..", "bin")),
    ]
    for folder in folders:
        path = os.path.join(folder, file)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(
        f"{file} is in none of {', '.join(folders)}; install the package recall-kit again"
    )


def _user_scheme():
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    return "nt_user" if os.name == "nt" else "posix_user"
