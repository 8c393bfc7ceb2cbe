"""Runs a command in its own root directory, with its own processes and devices, and chosen files of this machine."""

import os
import shlex
from dataclasses import dataclass

DEVICES = {"null": "1 3", "zero": "1 5", "full": "1 7", "random": "1 8", "urandom": "1 9", "tty": "5 0"}


@dataclass(frozen=True)
class Bind:
    """A bind mount of a file or directory of this machine."""

    source: str
    place: str
    is_writable: bool = False


RESOLVER = (Bind("/etc/resolv.conf", "/etc/resolv.conf"), Bind("/etc/hosts", "/etc/hosts"))


def enclosed(root, command, workdir="/", user="0:0", binds=(), is_confined=False):
    """Returns the arguments of a process that runs a command in the root directory, as process 1.

    Everything ends with that process, mounts included. The command inherits its environment, so that secrets don't appear
    in arguments.

    - `binds`: bind mounts. A path that doesn't exist is created, which needs a writable root.
    - `is_confined`: whether to drop all capabilities for good.
    """
    quote = shlex.quote
    steps = [
        f"cd {quote(root)}",
        "mount -t proc proc proc",
        "mount -t tmpfs -o mode=755 dev dev",
        *(f"mknod -m 666 dev/{name} c {numbers}" for name, numbers in DEVICES.items()),
        "ln -s /proc/self/fd dev/fd",
    ]
    for bind in (*RESOLVER, *binds):
        source, place = quote(bind.source), quote("." + bind.place)
        make = f"mkdir -p {place}" if os.path.isdir(bind.source) else f"install -D /dev/null {place}"
        steps.append(f"[ -e {place} ] || {make}")
        steps.append(f"mount --bind {source} {place}")
        if not bind.is_writable:
            steps.append(f"mount -o remount,bind,ro {place}")
    uid, _, gid = user.partition(":")
    confined = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"] if is_confined else []
    words = [
        "chroot", ".", "setpriv", f"--reuid={uid}", f"--regid={gid or uid}", "--clear-groups", *confined,
        # Variables that the shell has added.
        "env", "-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-C", workdir, *command
    ]
    steps.append("exec " + " ".join(map(quote, words)))
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", "\n".join(steps)]
