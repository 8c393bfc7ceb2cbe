"""A running image: a read-only root, volumes in directories of this machine, and a user without capabilities."""

import os
import signal
import subprocess
import tempfile
import time

from enclosure import Bind, enclosed


class Container:
    """One run of an image.

    - `volumes`: a directory of this machine for each writable path.
    - `user`: a name or numbers; None for the image's user.
    """

    def __init__(self, root, image, arguments=(), env=None, volumes=None, user=None, binds=(), entrypoint=None):
        self.root, self.image = root, image
        self.user = self.numbers(user or image.user)
        # Like Docker, from passwd.
        home = self.passwd(lambda row: row[2] == self.user.partition(":")[0])
        env = image.env | {"HOME": home[5] if home else "/"} | (env or {})
        self.env = {key: str(value) for key, value in env.items()}
        places = [Bind(folder, place, True) for place, folder in (volumes or {}).items()]
        command = [*(image.entrypoint if entrypoint is None else entrypoint), *(arguments or image.command)]
        # Into files, since nothing reads the output meanwhile, and a pipe could fill.
        self.said, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            enclosed(root, command, image.workdir, self.user, (*places, *binds), is_confined=True),
            env=self.env, stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.errors)
        self.started = time.monotonic()

    def passwd(self, wanted):
        with open(os.path.join(self.root, "etc/passwd")) as file:
            return next((row for line in file if wanted(row := line.rstrip().split(":"))), None)

    def numbers(self, user):
        if user.replace(":", "").isdigit():
            return user if ":" in user else f"{user}:{user}"
        row = self.passwd(lambda row: row[0] == user)
        return f"{row[2]}:{row[3]}"

    @property
    def pid(self):
        """The process id of its first process on this machine; None if it has ended."""
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                return int(file.read().split()[0])
        except (FileNotFoundError, IndexError, ProcessLookupError):
            return None

    @property
    def is_inside(self):
        """Whether its first process has entered its root directory."""
        try:
            return self.pid is not None and os.path.samefile(f"/proc/{self.pid}/root", self.root)
        except FileNotFoundError:
            return False

    def status(self, key):
        """Returns a value from /proc/PID/status of its first process."""
        with open(f"/proc/{self.pid}/status") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith(key + ":"))

    def run(self, words):
        """Runs a command in the container as its user, like docker exec; returns exit code and output."""
        uid, _, gid = self.user.partition(":")
        done = subprocess.run(
            ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--root", "setpriv", f"--reuid={uid}",
             f"--regid={gid}", "--clear-groups", "--no-new-privs", "env", "-C", self.image.workdir, *words],
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def end(self, seconds=30):
        """Waits for its end; returns exit code, standard output and standard error."""
        self.process.wait(seconds)
        return self.process.returncode, *self.words()

    def words(self):
        """Returns standard output and standard error so far."""
        # Without changing the offset at which the process writes.
        return [os.pread(file.fileno(), 1 << 24, 0).decode() for file in (self.said, self.errors)]

    def stop(self, seconds=30):
        """Sends SIGTERM and waits for its end."""
        os.kill(self.pid, signal.SIGTERM)
        return self.end(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            # Its first process if it has one; all others end with it.
            os.kill(self.pid or self.process.pid, signal.SIGKILL)
            self.process.wait()


def volume(folder, owner, mode=0o700):
    """Creates the directory of a volume."""
    os.makedirs(folder)
    os.chmod(folder, mode)
    os.chown(folder, *owner)
    return folder
