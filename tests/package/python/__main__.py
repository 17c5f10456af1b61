"""Starts ``recall-kit-client`` with the same arguments, input and output."""

import os
import sys

from recall_kit import find_program


def main():
    try:
        program = find_program()
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
    arguments = [program, *sys.argv[1:]]
    if os.name == "nt":
        # There, a process cannot be replaced by another.
        import subprocess

        try:
            sys.exit(subprocess.call(arguments))
        except KeyboardInterrupt:
            sys.exit(130)
    os.execv(program, arguments)


if __name__ == "__main__":
    main()
