"""Runs the services of a compose.yaml without Docker: each in its own root directory, all on one network."""

import os
import time
from contextlib import ExitStack, contextmanager

import yaml
from build import Image
from container import Container, volume
from dockerfile import DockerfileError
from enclosure import Bind

# Capabilities and ports are accepted, but containers have no capabilities and publish no ports.
KNOWN = set(
    "build image command user read_only environment volumes configs healthcheck depends_on ports restart cap_drop "
    "security_opt stop_grace_period profiles".split())


class Project:
    """The services of a compose.yaml.

    - `own`: the image for `build: .`.
    """

    def __init__(self, text, builder, own: Image):
        self.document = yaml.safe_load(text)
        self.store = builder.store
        self.services, self.images = self.document["services"], {}
        for name, service in self.services.items():
            if unknown := set(service) - KNOWN:
                raise DockerfileError(f"compose.yaml: {name}: {', '.join(unknown)} isn't supported")
            match service.get("build"):
                case ".":
                    self.images[name] = own
                case {"dockerfile_inline": text}:
                    self.images[name] = builder.build(text)[None]
                case _:
                    self.images[name] = builder.bases(service["image"], builder)

    @contextmanager
    def service(self, name, scratch):
        """Starts a service. The services it depends on must be running."""
        service, image = self.services[name], self.images[name]
        files = [("/etc/hosts", f"127.0.0.1 localhost {' '.join(self.services)}\n")]
        for config in service.get("configs", []):
            files.append((config["target"], self.document["configs"][config["source"]]["content"]))
        binds = []
        for place, text in files:
            source = os.path.join(scratch, f"{name}{place.replace('/', '-')}")
            with open(source, "w") as file:
                file.write(text)
            os.chmod(source, 0o444)
            binds.append(Bind(source, place))
        mounted = self.store.mounted if service.get("read_only") else self.store.passing
        with mounted(image.layers) as root:
            folders = {}
            for mount in service.get("volumes", []):
                source, _, place = mount.rpartition(":")
                source = source or f"of-{name}"
                folders[place] = os.path.join(scratch, f"volume-{source}")
                if not os.path.exists(folders[place]):
                    status = os.stat(root + place)
                    volume(folders[place], (status.st_uid, status.st_gid), status.st_mode & 0o7777)
            with Container(
                root, image, service.get("command", []), service.get("environment"), folders, service.get("user"), binds
            ) as container:
                container.healthcheck = tuple(service.get("healthcheck", {}).get("test", [])[1:]) or image.healthcheck
                yield container

    @staticmethod
    def wait_healthy(container, seconds=60):
        said, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            if container.process.poll() is not None:
                raise TimeoutError(f"{container.image.entrypoint} has ended: {container.words()}")
            if container.is_inside:
                status, said = container.run(container.healthcheck)
                if status == 0:
                    return said
            time.sleep(0.2)
        raise TimeoutError(f"{container.healthcheck} still fails after {seconds} s: {said} {container.words()}")

    def order(self):
        """Returns the names of the services, each after those that it depends on."""
        done = []
        while len(done) < len(self.services):
            ready = [
                name for name, service in self.services.items()
                if name not in done and all(other in done for other in service.get("depends_on", []))
            ]
            if not ready:
                left = ", ".join(name for name in self.services if name not in done)
                raise DockerfileError(f"compose.yaml: {left}: depends_on names an unknown service, or is circular")
            done += ready
        return done

    @contextmanager
    def all_but(self, last, scratch):
        """Starts all services except one and those with a profile, each after those that it depends on are healthy."""
        with ExitStack() as stack:
            running = {}
            for name in self.order():
                if name != last and "profiles" not in self.services[name]:
                    running[name] = stack.enter_context(self.service(name, scratch))
                    self.wait_healthy(running[name])
            yield running
