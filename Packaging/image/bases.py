"""What stands here for the images that are fetched elsewhere: the same packages, from this machine's Debian."""

import os
import re
import subprocess
from dataclasses import replace

from build import PATH, Image, git_redirects
from dockerfile import DockerfileError
from enclosure import Bind

# As debian:*-slim has it: no manuals, and nothing kept of what apt has fetched.
SLIM = {
    "etc/dpkg/dpkg.cfg.d/docker": "".join(
        f"path-exclude /usr/share/{folder}/*\n" for folder in ("doc", "groff", "info", "lintian", "locale", "man")
    ) + "path-include /usr/share/doc/*/copyright\n",
    "etc/apt/apt.conf.d/docker-clean": 'APT::Keep-Downloaded-Packages "false";\nDir::Cache::pkgcache "";\n'
    'Dir::Cache::srcpkgcache "";\n',
}

# What Swift's image installs and its compiler and package manager need.
SWIFT = "binutils ca-certificates gcc git libc6-dev libcurl4-openssl-dev libedit2 libncurses6 libsqlite3-0 " \
    "libstdc++-12-dev libxml2 pkg-config tzdata uuid-dev"


CLEAR = "rm -rf /var/lib/apt/lists/*"


def install(packages):
    return f"apt-get update && apt-get install -y --no-install-recommends {packages} && {CLEAR}"


class Bases:
    """What stands for the images that a Dockerfile or a compose.yaml begins with.

    - `debian`: the layer of a bare Debian, and the name of that release.
    - `toolchain`: the folder of this machine's Swift.
    """

    def __init__(self, debian, codename, toolchain):
        self.debian, self.codename, self.toolchain = debian, codename, toolchain

    def __call__(self, name, builder):
        match = re.fullmatch(rf"(debian|swift|redis):(?:([\d.]+)-)?{self.codename}(-slim)?", name)
        match match and match[1]:
            case "debian":
                return self.slim(builder)
            case "redis":
                command = f"{install('redis-server')} && install -d -o redis -g redis /data"
                image = builder.run(self.slim(builder), command)
                return replace(image, workdir="/data", volumes=("/data",))
            case "swift":
                return self.swift(match[2], builder)
        raise DockerfileError(f"nothing stands for {name} here: there are debian, swift and redis, on {self.codename}")

    def slim(self, builder):
        def make(root):
            for path, text in SLIM.items():
                with open(os.path.join(root, path), "w") as file:
                    file.write(text)

        layers = builder.store.layer((self.debian,), ["a slim Debian", repr(SLIM)], make)
        # Those images are made anew with every update.
        return builder.run(Image(layers), f"apt-get update && apt-get dist-upgrade -y && {CLEAR}")

    def swift(self, version, builder):
        """This machine's own Swift, at the place where it is."""
        folder = self.toolchain
        compiler = os.path.join(folder, "bin/swift")
        said = subprocess.run(
            [compiler, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        found = re.search(r"Swift version (\S+)", said.stdout)[1]
        if not found.startswith(version):
            raise DockerfileError(f"the Dockerfile wants Swift {version}, this machine has {found}: install {version}")
        binds, _ = git_redirects()
        image = builder.run(self.slim(builder), f"{install(SWIFT)} && : Swift {found}")
        return replace(
            image, env={"PATH": f"{folder}/bin:{PATH}"}, binds=(Bind(folder, folder), *binds))
