"""Builds an image's file system like Docker: a layer for each instruction, cached until an earlier one changes."""

import hashlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import dockerfile
from context import Context
from enclosure import Bind, enclosed

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Mounted during a build, but in no layer.
APT_PASSWORDS = tuple(
    Bind(path, path) for path in ("/etc/apt/auth.conf", "/etc/apt/auth.conf.d") if os.path.exists(path))


@dataclass(frozen=True)
class Image:
    """An image: its layers from the lowest to the highest, and how to run it."""

    layers: tuple
    env: dict = field(default_factory=lambda: {"PATH": PATH})
    user: str = "0:0"
    workdir: str = "/"
    entrypoint: tuple = ()
    command: tuple = ()
    volumes: tuple = ()
    healthcheck: tuple = ()
    # Directories of this machine that only the build needs.
    binds: tuple = ()


class Store:
    """The directory of all layers.

    Layers that a run doesn't use are removed at its end.
    """

    def __init__(self, folder, say):
        self.folder = folder
        self.say = say
        self.used = set()
        os.makedirs(folder, exist_ok=True)

    def layer(self, below, words, make):
        """Returns the layer that these words create on the layers below: from the cache, or by calling `make` with its root."""
        name = hashlib.sha256("\0".join([*below, *words]).encode()).hexdigest()[:12]
        self.used.add(name)
        if os.path.isdir(os.path.join(self.folder, name)):
            self.say(f"  cached: {words[0][:100]}")
            return (*below, name)
        self.say(f"  {words[0][:100]}")
        new = f"{name}.new"
        shutil.rmtree(os.path.join(self.folder, new), ignore_errors=True)
        with self.mounted(below, new) as root:
            make(root)
        os.rename(os.path.join(self.folder, new), os.path.join(self.folder, name))
        return (*below, name)

    @contextmanager
    def mounted(self, layers, upper=None):
        """Mounts the layers as one directory; changes go to the layer `upper` if it is given."""
        root, work = (os.path.join(self.folder, f"{kind}-{os.urandom(4).hex()}") for kind in ("root", "work"))
        os.mkdir(root)
        # With relative names: paths could contain colons, and the mount option could become too long.
        options = "lowerdir=" + ":".join(reversed(layers))
        if upper:
            os.makedirs(work)
            os.makedirs(os.path.join(self.folder, upper), exist_ok=True)
            options += f",upperdir={upper},workdir={os.path.basename(work)}"
        elif len(layers) == 1:
            options += ":" + self.nothing()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, root], cwd=self.folder, check=True)
        try:
            yield root
        finally:
            subprocess.run(["umount", "--lazy", root], check=True)
            os.rmdir(root)
            shutil.rmtree(work, ignore_errors=True)

    @contextmanager
    def passing(self, layers):
        """Mounts the layers as one directory; changes are discarded afterwards."""
        upper = f"changes-{os.urandom(4).hex()}"
        try:
            with self.mounted(layers, upper) as root:
                yield root
        finally:
            shutil.rmtree(os.path.join(self.folder, upper), ignore_errors=True)

    def nothing(self):
        os.makedirs(os.path.join(self.folder, "nothing"), exist_ok=True)
        return "nothing"

    def size(self, layers):
        """Returns the disk usage of the layers in bytes."""
        output = subprocess.run(
            ["du", "--summarize", "--total", "--block-size=1", *layers], cwd=self.folder, check=True,
            stdout=subprocess.PIPE, text=True).stdout
        return int(output.splitlines()[-1].split()[0])

    def tidy(self, keep):
        for name in set(os.listdir(self.folder)) - self.used - set(keep):
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)


class Builder:
    """Runs Dockerfiles.

    - `bases`: returns the image for a name in FROM that isn't a stage; it gets this builder.
    - `env`: additional environment variables for RUN, such as proxies.
    """

    def __init__(self, store, bases, env, say):
        self.store, self.bases, self.env, self.say = store, bases, env, say

    def build(self, text, context=None):
        """Returns the images of all stages by name. The last one's name is None."""
        stages, name = {}, None
        for instruction in dockerfile.read(text):
            if instruction.name == "FROM":
                base, _, alias = instruction.text.partition(" AS ")
                self.say(f"FROM {instruction.text}")
                image, name = stages.get(base) or self.bases(base, self), alias or None
            elif name is None and None not in stages:
                instruction.fail("the first instruction must be FROM")
            else:
                image = self.apply(instruction, stages[name], stages, context)
            stages[name] = image
            stages[None] = image
        return stages

    def apply(self, instruction, image, stages, context):
        text = instruction.text
        match instruction.name:
            case "RUN":
                return self.run(image, text)
            case "COPY":
                return self.copy(instruction, image, stages, context)
            case "WORKDIR":
                folder = os.path.join(image.workdir, text)
                layers = self.store.layer(
                    image.layers, [f"WORKDIR {folder}"],
                    lambda root: os.makedirs(os.path.join(root, folder.strip("/")), exist_ok=True))
                return replace(image, layers=layers, workdir=folder)
            case "ENV":
                return replace(image, env=image.env | instruction.pairs)
            case "LABEL":
                # Labels are ignored, but must be valid.
                _ = instruction.pairs
                return image
            case "USER":
                return replace(image, user=text)
            case "VOLUME":
                return replace(image, volumes=(*image.volumes, text))
            case "ENTRYPOINT":
                return replace(image, entrypoint=tuple(instruction.words), command=())
            case "CMD":
                return replace(image, command=tuple(instruction.words))
            case "HEALTHCHECK":
                options, rest = instruction.options
                known = {"interval", "timeout", "start-period", "retries"}
                if not set(options) <= known or not rest.startswith("CMD "):
                    instruction.fail(f"write it as CMD [\"…\"], before that --{', --'.join(sorted(known))}")
                command = dockerfile.Instruction(instruction.line, "HEALTHCHECK CMD", rest.removeprefix("CMD "))
                return replace(image, healthcheck=tuple(command.words))

    def run(self, image, command):
        def make(root):
            env = image.env | self.env | {"HOME": "/root"}
            binds = (*APT_PASSWORDS, *image.binds)
            words = enclosed(root, ["/bin/sh", "-c", command], image.workdir, image.user, binds)
            status = subprocess.run(words, env=env, stdin=subprocess.DEVNULL).returncode
            if status != 0:
                raise dockerfile.DockerfileError(f"RUN {command}: it ended with status {status}; see above")

        words = [f"RUN {command}", image.workdir, image.user, repr(sorted(image.env.items()))]
        return replace(image, layers=self.store.layer(image.layers, words, make))

    def copy(self, instruction, image, stages, context):
        options, rest = instruction.options
        *sources, destination = rest.split()
        if set(options) - {"from"}:
            instruction.fail("the only supported option is --from")
        target = os.path.join(image.workdir, destination)
        if stage := options.get("from"):
            if stage not in stages:
                instruction.fail(f"there is no stage {stage}")
            with self.store.mounted(stages[stage].layers) as folder:
                return self.copied(instruction, image, Context(folder), sources, target)
        if context is None:
            instruction.fail("there is no directory to copy from")
        return self.copied(instruction, image, context, sources, target)

    def copied(self, instruction, image, context, sources, target):
        words = [f"COPY {instruction.text}", target, context.digest(sources)]
        layers = self.store.layer(image.layers, words, lambda root: context.copy(sources, target, root))
        return replace(image, layers=layers)


def git_redirects():
    """Returns the local directories to which git redirects package URLs, and the environment with the redirects."""
    lines = subprocess.run(
        ["git", "config", "--null", "--get-regexp", r"^url\..*\.insteadof$"], stdout=subprocess.PIPE, text=True,
        check=False).stdout.split("\0")
    pairs = [line.split("\n", 1) for line in lines if line]
    local = [(key, value) for key, value in pairs if key.startswith(("url./", "url.file:///"))]
    env = {"GIT_CONFIG_COUNT": str(len(local))} if local else {}
    binds = set()
    for number, (key, value) in enumerate(local):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        folder = key.removeprefix("url.").removesuffix(".insteadof").removeprefix("file://").rstrip("/")
        if os.path.isdir(folder):
            binds.add(Bind(folder, folder))
    return tuple(sorted(binds, key=lambda bind: bind.source)), env
