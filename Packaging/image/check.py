"""Builds the image from the Dockerfile and what compose.yaml starts, without a Docker engine, and sees that they work.

check.py FOLDER: the folder of the layers; see bin/image.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.request import urlopen

import dockerfile
import yaml
from bases import Bases
from build import Builder, Store, git_redirects
from compose import Project
from container import Container, volume
from context import Context
from enclosure import Bind
from irc import Person

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Loaded or read while it runs, so that ldd knows nothing of them.
LOADED_LATER = {"libcurl4", "ca-certificates", "tzdata"}
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
MOST = 60_000_000


class Failed(Exception):
    pass


def say(text):
    print(text, flush=True)


def expect(is_so, what, found=""):
    if not is_so:
        raise Failed(f"{what}: not so. {found}".rstrip())
    say(f"ok    {what}")


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


class Check:
    """Sees that an image is what it should be.

    - `scratch`: a folder for its volumes.
    """

    def __init__(self, store, image, base, scratch):
        self.store, self.image, self.base, self.scratch = store, image, base, scratch
        self.owner = tuple(map(int, image.user.split(":")))
        self.root = None

    def volume(self, owner=None):
        return volume(os.path.join(self.scratch, os.urandom(4).hex()), owner or self.owner)

    def run(self, *arguments, data=None, **options):
        """Runs the image to its end, with a new volume at /data."""
        with Container(self.root, self.image, arguments, volumes={"/data": data or self.volume()}, **options) as robot:
            return robot.end(60)

    def in_image(self, *words):
        with Container(self.root, self.image, words, user="0:0", entrypoint=()) as shell:
            status, said, errors = shell.end()
            if status != 0:
                raise Failed(f"{' '.join(words)} in the image: {errors}")
            return said

    def all(self):
        with self.store.mounted(self.image.layers) as self.root:
            self.size()
            self.libraries()
            self.answers()
            self.asks_the_web()
            self.data()

    def size(self):
        added = self.image.layers[len(self.base.layers):]
        size = self.store.size(added)
        robot = os.path.getsize(os.path.join(self.root, "app/libexec/heybot"))
        expect(
            size < MOST, f"adds {size / 1e6:.1f} MB to Debian's own image, {robot / 1e6:.1f} of it the robot",
            f"It must be less than {MOST / 1e6:.0f} MB.")

    def libraries(self):
        lines = self.in_image("ldd", "/app/libexec/heybot")
        expect("not found" not in lines, "has all libraries", lines)
        paths = re.findall(r"(/\S+) \(0x", lines)
        # If a directory has become a link, dpkg has the file under its old path.
        owners = self.in_image("sh", "-c", f"dpkg -S {' '.join('*/' + os.path.basename(path) for path in paths)}")
        needed = {line.split(":")[0] for line in owners.splitlines()}
        with self.store.mounted(self.base.layers) as base:
            present = {name.removesuffix(".list").split(":")[0] for name in os.listdir(f"{base}/var/lib/dpkg/info")}
        stage = read("Dockerfile").rpartition("install -y")[2].partition("&&")[0]
        named = {word for word in stage.split() if word[0] not in "-\\"}
        missing, idle = needed - named - present, named - needed - LOADED_LATER
        expect(
            not missing and not idle and LOADED_LATER <= named, "the Dockerfile names the packages it needs",
            f"Missing: {missing or LOADED_LATER - named}; not needed: {idle}.")

    def answers(self):
        status, said, errors = self.run("-e", "ping")
        expect((status, said, errors) == (0, "PONG\n", ""), "answers, read-only and without capabilities", errors)
        expect(0 not in self.owner, f"runs as {self.image.user}, not as root")
        # Some hosts run containers as an arbitrary user, who needs a writable directory.
        status, said, errors = self.run("-e", "ping", data=self.volume((4711, 0)), user="4711:0")
        expect((status, said) == (0, "PONG\n"), "answers as a user without an account", errors)

    def asks_the_web(self):
        """Checks that the libraries loaded with the first request exist, which ldd doesn't list."""
        class Pugs(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"message": "https://pugs.example/1.jpg"}')

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 8080), Pugs)
        Thread(target=server.serve_forever, daemon=True).start()
        status, said, errors = self.run("-e", "pug me", env={"HEYBOT_PUGS_URL": "http://127.0.0.1:8080"})
        server.shutdown()
        expect((status, said) == (0, "https://pugs.example/1.jpg\n"), "makes web requests", errors)

    def data(self):
        expect(self.image.volumes == ("/data",), "its data directory is a volume")
        status, _, errors = self.run("-e", "ping", data=self.volume((0, 0)))
        say(f"      {errors.strip()}")
        uid = self.owner[0]
        expect(
            status == 78 and all(word in errors for word in ("/data", f"(uid {uid})", f"give it to uid {uid}")),
            "a volume owned by root is an error in one line, with the fix", errors)
        with Container(self.root, self.image, ["-e", "ping"], binds=[Bind(self.volume(), "/data")]) as robot:
            status, _, errors = robot.end()
        say(f"      {errors.strip()}")
        expect(status == 78 and "/data is mounted read-only" in errors, "and so is a read-only volume", errors)

    def in_a_room(self, irc):
        """Checks that the robot joins a room on that server, and ends on SIGTERM."""
        with self.store.mounted(self.image.layers) as self.root, Person("ada", irc, "#dev") as ada:
            for _ in range(3):
                self.visit(ada, irc)

    def visit(self, ada, irc):
        env = {"HEYBOT_IRC_SERVER": "127.0.0.1", "HEYBOT_IRC_PORT": str(irc), "HEYBOT_IRC_ROOMS": "#dev"}
        data = self.volume()
        with Container(self.root, self.image, ["-a", "irc", "-n", "marvin"], env, {"/data": data}) as robot:
            ada.wait(r":marvin!\S+ JOIN :?#dev")
            joined = time.monotonic() - robot.started
            # A second after the start it releases memory.
            time.sleep(3)
            # ngircd delays every login by a second.
            say(f"      start to joined {joined * 1000:.0f} ms, at rest {robot.status('VmRSS')}")
            expect(robot.status("Name") == "heybot", "the robot is process 1")
            ada.say("#dev", "marvin: ping")
            ada.wait(r":marvin!\S+ PRIVMSG #dev :(ada: )?PONG")
            expect(True, "answers in a room on IRC")
            status, said = robot.run(self.image.healthcheck)
            say("      " + said.strip().replace("\n", "\n      "))
            expect(status == 0, "is healthy", said)
            began = time.monotonic()
            status, _, errors = robot.stop()
            took = time.monotonic() - began
            expect(status == 0, f"ends with 0 on SIGTERM, after {took * 1000:.0f} ms", errors)
            ada.wait(r":marvin!\S+ QUIT")
        expect("brain.sqlite" in os.listdir(data), "its brain is in the volume")
        status, _, errors = self.run(*self.image.healthcheck, data=data, entrypoint=())
        expect(status == 1, "isn't healthy if no robot runs", errors)


def compose(project, running, scratch):
    """Checks the robot on both networks, with its brain in Redis."""
    with Person("ada", 6667, "#dev") as ada:
        for ask, answer in (("swift++", "swift now has 1"), ("heybot: score swift", "swift has 1")):
            with project.service("heybot", scratch) as robot:
                say("      " + project.wait_healthy(robot).strip().replace("\n", "\n      "))
                ada.say("#dev", ask)
                ada.wait(rf":heybot!\S+ PRIVMSG #dev :.*{answer}")
                status, _, errors = robot.stop()
                for room in ("#dev", "dev@rooms.localhost"):
                    expect(re.search(rf"msg=.* in {room}\"", errors), f"with compose.yaml, is in {room}", errors)
                expect(status == 0, f"with compose.yaml, “{ask}”: {answer}", errors)
        _, kept = running["redis"].run(["redis-cli", "hgetall", "heybot:collection:plusplus.scores"])
        expect("swift" in kept, "with compose.yaml, its brain is in Redis", kept)


def several_processes(project, scratch):
    """Checks the robot with its connections and its scripts in processes of their own."""
    with Person("ada", 6667, "#dev") as ada:
        with project.service("gateway", scratch) as gateway, project.service("worker", scratch) as worker:
            for part in (gateway, worker):
                project.wait_healthy(part)
            ada.say("#dev", "heybot: score swift")
            ada.wait(r":heybot!\S+ PRIVMSG #dev :.*swift has 1")
            expect(True, "with compose.yaml, a gateway and a worker answer")
            with project.service("gateway", scratch) as waiting:
                said = project.wait_healthy(waiting)
                expect("waiting" in said, "with compose.yaml, a second gateway waits, and is healthy", said)
                status, _, errors = waiting.stop()
                expect(status == 0, "with compose.yaml, a gateway that waits ends with 0 on SIGTERM", errors)
            for part in (worker, gateway):
                status, _, errors = part.stop()
                expect(status == 0, "with compose.yaml, a part of the robot ends with 0 on SIGTERM", errors)


def heroku(store, image, project, scratch):
    """Checks the robot as on Heroku: heroku.yml's command in a shell, an arbitrary user, app.json's environment, no volume."""
    manifest, app = yaml.safe_load(read("heroku.yml")), json.loads(read("app.json"))
    command = manifest["run"]["app"]
    expect(
        read("Procfile") == f"app: {command.removeprefix('exec ')}\n" and list(app["formation"]) == ["app"],
        "heroku.yml, app.json and Procfile agree")
    account = project.services["heybot"]["environment"]
    env = {name: entry["value"] for name, entry in app["env"].items() if "value" in entry}
    env |= {name: account[name] for name in account if name in app["env"] or name == "HEYBOT_XMPP_DISALLOW_TLS"}
    env |= {"HEYBOT_XMPP_HOST": "127.0.0.1", "REDIS_URL": "redis://127.0.0.1", "PORT": "5000"}
    missing = [name for name, entry in app["env"].items() if entry.get("required", True) and name not in env]
    expect(not missing, "app.json's required variables are known settings", missing)
    expect(not image.entrypoint, "Heroku's stage has no entry point")
    anybody = (4711, 4711)
    tmp = volume(os.path.join(scratch, "tmp"), anybody)
    with store.mounted(image.layers) as root, Container(
        root, image, ["/bin/sh", "-l", "-c", command], env, {"/tmp": tmp}, user="4711:4711"
    ) as robot:
        robot.healthcheck = ("bin/heybot", "health")
        said = project.wait_healthy(robot)
        expect("xmpp" in said, "on Heroku, is in its rooms", said)
        page = urlopen("http://127.0.0.1:5000/healthz").read().decode()
        expect("xmpp" in page, "on Heroku, listens at PORT", page)
        status, _, errors = robot.stop()
        expect(status == 0, "on Heroku, ends with 0 on SIGTERM", errors)


def main(folder):
    began = time.monotonic()
    store = Store(os.path.join(folder, "layers"), say)
    _, redirects = git_redirects()
    proxies = {name: os.environ[name] for name in os.environ if name.lower() in PROXIES}
    bases = Bases("debian", os.environ["CODENAME"], os.environ["TOOLCHAIN"])
    builder = Builder(store, bases, redirects | proxies, say)
    stages = builder.build(read("Dockerfile"), Context(ROOT, read(".dockerignore")))
    image = stages[None]
    say(f"built in {time.monotonic() - began:.0f} s")
    project = Project(read("compose.yaml"), builder, image)
    store.tidy(keep=["debian"])

    # From here on in a separate network namespace: all ports are free, and nothing else can be reached.
    alone()
    scratch = os.path.join(folder, "volumes")
    shutil.rmtree(scratch, ignore_errors=True)
    os.mkdir(scratch, 0o711)
    try:
        check = Check(store, image, bases.slim(builder), scratch)
        check.all()
        with project.service("irc", scratch) as irc:
            project.wait_healthy(irc)
            check.in_a_room(6667)
        with project.all_but("heybot", scratch) as running:
            compose(project, running, scratch)
            several_processes(project, scratch)
            heroku(store, stages["heroku"], project, scratch)
    finally:
        shutil.rmtree(scratch)
    say(f"all checks passed after {time.monotonic() - began:.0f} s")


def alone():
    import ctypes
    new_network = 0x40000000
    if ctypes.CDLL(None, use_errno=True).unshare(new_network) != 0:
        raise Failed("can't create a network namespace on this machine")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (Failed, dockerfile.DockerfileError, TimeoutError) as error:
        sys.exit(f"image: {error}")
