"""Runs a program on its own terminal and types into it, like a person.

Usage: terminal.py '{"args": [...], "env": {...}, "cwd": "..." | null, "keys": [["text to wait for", "keys to type"], ...]}'

Each pair waits for its text in the output after the last keys, and then for the program to read keys.
Keys that name a signal, such as SIGKILL, are sent as that signal instead, whatever the program does. Keys that begin
with `sh ` are run by a shell before the next text is awaited, as another program would do something meanwhile.
The output of the terminal is written to standard output. The exit code is that of the program; 128 plus the
number of the signal that ended it, as in shells; or 70 if an awaited text never came or the program did not end.
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

DEADLINE_SECONDS = 100
LOCAL_FLAGS = 3  # where tcgetattr keeps ICANON


class Session:
    """A program on its terminal."""

    def __init__(self, args, env, cwd):
        self.deadline = time.monotonic() + DEADLINE_SECONDS
        self.shown = bytearray()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(env)
            os.environ["TERM"] = "xterm"
            if cwd:
                os.chdir(cwd)
            os.execv(args[0], args)

    def read(self, patience=DEADLINE_SECONDS):
        """Reads the next output of the program; returns False at its end or after the deadline."""
        left = min(patience, self.deadline - time.monotonic())
        if not select.select([self.terminal], [], [], max(0, left))[0]:
            return time.monotonic() < self.deadline
        try:
            some = os.read(self.terminal, 65536)
        except OSError:  # on Linux: the program closed the terminal
            some = b""
        self.shown += some
        return bool(some)

    def await_text(self, text, start):
        while text.encode() not in self.shown[start:]:
            if not self.read():
                return False
        return True

    def await_reading(self):
        """Waits until the terminal is not in line mode, that is, until a prompt of the program reads keys."""
        while termios.tcgetattr(self.terminal)[LOCAL_FLAGS] & termios.ICANON:
            if not self.read(patience=0.01):
                return False
        return True

    def end(self):
        """Waits for the program's end and returns its exit code; kills it after the deadline."""
        while self.read():
            pass
        if time.monotonic() >= self.deadline:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
            return 70
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def main():
    arguments = json.loads(sys.argv[1])
    session = Session(arguments["args"], arguments["env"], arguments["cwd"])
    start = 0
    missed = None
    for text, keys in arguments["keys"]:
        is_signal = keys.startswith("SIG")
        is_command = keys.startswith("sh ")
        if not (session.await_text(text, start) and (is_signal or session.await_reading())):
            missed = text
            break
        start = len(session.shown)
        if is_command:
            env = {**os.environ, **arguments["env"]}
            subprocess.run(keys[3:], shell=True, check=True, env=env, cwd=arguments["cwd"])
        elif is_signal:
            os.kill(session.child, signal.Signals[keys])
        else:
            os.write(session.terminal, keys.encode())
    code = session.end()
    sys.stdout.buffer.write(session.shown)
    if missed is not None:
        sys.stderr.write(f"never asked {missed!r}\n")
    sys.exit(70 if missed is not None else code if code >= 0 else 128 - code)


main()
