"""A command in a root of its own: its own processes, its own devices, and of this machine only what is asked for."""

import os
import shlex
from dataclasses import dataclass

DEVICES = {"null": "1 3", "zero": "1 5", "full": "1 7", "random": "1 8", "urandom": "1 9", "tty": "5 0"}


@dataclass(frozen=True)
class Bind:
    """A file or folder of this machine at a place in there."""

    source: str
    place: str
    is_writable: bool = False


RESOLVER = (Bind("/etc/resolv.conf", "/etc/resolv.conf"), Bind("/etc/hosts", "/etc/hosts"))


def enclosed(root, command, workdir="/", user="0:0", binds=(), is_confined=False):
    """The words that run a command with that root, in which it is process 1.

    All of it ends with the process that they start, and what was mounted for it is gone then. The command has the
    environment of that process: a variable may be a secret, and words stand in every list of processes.

    - `binds`: a place that isn't there yet is made, which takes a root that can be written.
    - `is_confined`: without any capability, or a way to get one.
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
        # What a shell adds by itself.
        "env", "-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-C", workdir, *command
    ]
    steps.append("exec " + " ".join(map(quote, words)))
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", "\n".join(steps)]
