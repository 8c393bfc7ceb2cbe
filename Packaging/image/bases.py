"""Replacements for base images: the same packages, installed from this machine's Debian sources."""

import os
import re
import subprocess
from dataclasses import replace

from build import PATH, Image, git_redirects
from dockerfile import DockerfileError
from enclosure import Bind

# As in debian:*-slim: no manuals, and no cached packages.
SLIM = {
    "etc/dpkg/dpkg.cfg.d/docker": "".join(
        f"path-exclude /usr/share/{folder}/*\n" for folder in ("doc", "groff", "info", "lintian", "locale", "man")
    ) + "path-include /usr/share/doc/*/copyright\n",
    "etc/apt/apt.conf.d/docker-clean": 'APT::Keep-Downloaded-Packages "false";\nDir::Cache::pkgcache "";\n'
    'Dir::Cache::srcpkgcache "";\n',
}

# The packages in Swift's image that its compiler and package manager need.
SWIFT = "binutils ca-certificates gcc git libc6-dev libcurl4-openssl-dev libedit2 libncurses6 libsqlite3-0 " \
    "libstdc++-12-dev libxml2 pkg-config tzdata uuid-dev"


CLEAR = "rm -rf /var/lib/apt/lists/*"


def install(packages):
    return f"apt-get update && apt-get install -y --no-install-recommends {packages} && {CLEAR}"


class Bases:
    """Replacements for the base images of a Dockerfile or compose.yaml.

    - `debian`: the layer of a minimal Debian; `codename`: its release.
    - `toolchain`: the directory of this machine's Swift.
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
        raise DockerfileError(f"there is no replacement for {name}: supported are debian, swift and redis, on {self.codename}")

    def slim(self, builder):
        def make(root):
            for path, text in SLIM.items():
                with open(os.path.join(root, path), "w") as file:
                    file.write(text)

        layers = builder.store.layer((self.debian,), ["a slim Debian", repr(SLIM)], make)
        # The real images are rebuilt with every update.
        return builder.run(Image(layers), f"apt-get update && apt-get dist-upgrade -y && {CLEAR}")

    def swift(self, version, builder):
        """Returns an image with this machine's Swift at the same path."""
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
