"""The processes of the soak tests: the robot, and real servers as the tests configure them. All listen on loopback."""
import asyncio, contextlib, ctypes, os, pathlib, re, shutil, signal, socket, subprocess, tempfile

HOST, PASSWORD, ROBOT, DOMAIN = "127.0.0.1", "pencil", "marvin", "xmpp.test"
CONFERENCE = f"conference.{DOMAIN}"
LIBC = ctypes.CDLL(None)
NOBODY = 65534


class Failure(Exception):
    """A run failed."""


def free_port():
    with socket.create_server((HOST, 0)) as listener:
        return listener.getsockname()[1]


async def until(condition, what, within=60):
    """Waits until a condition is true."""
    end = asyncio.get_running_loop().time() + within
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise Failure(f"no {what} within {within} s")
        await asyncio.sleep(0.01)


def share(folder):
    """Gives a folder to nobody, as whom servers run if this process runs as root."""
    if os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


def resident(pid):
    """Returns the resident memory of a process in MB.

    VmRSS isn't exact: the kernel counts pages for each CPU, and adds them up only now and then.
    """
    return int(re.search(r"Rss:\s*(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text())[1]) / 1024


class Process:
    """A process that ends with this one."""

    def __init__(self, words, folder, environment=None, as_nobody=False):
        self.words, self.folder, self.environment, self.as_nobody = words, folder, environment, as_nobody
        self.log, self.process = folder / "log", None

    def spawn(self):
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self.as_nobody and os.getuid() == 0 else {}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL), **user)  # PR_SET_PDEATHSIG

    async def end(self, number=signal.SIGTERM, within=20):
        """Sends a signal, and waits for the end."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                await until(lambda: self.process.poll() is not None, f"end of {self.words[0]}", within)
            finally:
                self.process.kill()
                self.process.wait()

    def logged(self, text):
        """Returns how often the log has a text."""
        return self.log.read_text(errors="replace").count(text) if self.log.exists() else 0

    def memory(self):
        """Returns the resident memory in MB."""
        return resident(self.process.pid)


class Server(Process):
    """A server, which is ready when it listens."""

    def __init__(self, words, folder, port, environment=None):
        super().__init__(words, folder, environment, as_nobody=True)
        self.port = port

    async def start(self):
        share(self.folder)
        self.spawn()

        def listens():
            if self.process.poll() is not None:
                raise Failure(f"{self.words[0]} ended: {self.log.read_text(errors='replace')[-2000:]}")
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1):
                return True
        await until(listens, f"port of {self.words[0]}")

    async def kill(self):
        """Kills the server, and starts it again."""
        await self.end(signal.SIGKILL)
        await self.start()


class Robot(Process):
    """The robot, with no limits for users."""

    def __init__(self, program, folder, settings):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("HEYBOT_", "HUBOT_"))}
        environment |= {"HEYBOT_NAME": ROBOT, "HEYBOT_DATA": f"{folder}/data", "HEYBOT_HTTPD": "false"} | settings
        for network in ("IRC", "XMPP"):
            for name, value in (("UNFLOOD", 0), ("RATE_BURST", 0), ("QUEUE", 100_000), ("RECONNECT_MAX_WAIT", 1),
                                ("BACKOFF_RESET", 1), ("JOIN_RETRY", 1), ("RECONNECT_WAIT", 1 if network == "IRC" else 100)):
                environment.setdefault(f"HEYBOT_{network}_{name}", str(value))
        super().__init__([os.path.abspath(program)], folder, environment)

    def start(self):
        self.spawn()


def xmpp_settings(port, room):
    """Returns the robot's settings for one of the XMPP servers."""
    values = {"USERNAME": f"{ROBOT}@{DOMAIN}/soak", "PASSWORD": PASSWORD, "HOST": HOST, "PORT": port, "ROOMS": room,
              "DISALLOW_TLS": "true"}
    return {"HEYBOT_ADAPTER": "xmpp"} | {f"HEYBOT_XMPP_{name}": str(value) for name, value in values.items()}


@contextlib.contextmanager
def scratch():
    """Yields a folder. It is kept if SOAK_KEEP is set."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="soak-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if not os.environ.get("SOAK_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def made(folder, name):
    path = folder / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def prosody(folder, people, management="resumption"):
    """A Prosody with archives and persistent rooms; its stream management is `resumption` or `none`."""
    folder, port = made(folder, "prosody"), free_port()
    accounts = made(folder, f"data/{DOMAIN.replace('.', '%2e')}/accounts")
    for person in people:
        (accounts / f"{person}.dat").write_text(f'return {{ ["password"] = "{PASSWORD}" }};\n')
    (folder / "prosody.cfg.lua").write_text(f"""
interfaces = {{ "{HOST}" }}
c2s_ports = {{ {port} }}
c2s_direct_tls_ports = {{ }}
http_ports = {{ }}
https_ports = {{ }}
component_ports = {{ }}
daemonize = false
data_path = "{folder}/data"
log = {{ info = "*console" }}
modules_enabled = {{ "carbons", "disco", "mam", "offline", "ping", "roster", "saslauth", {'"smacks",' * (management != "none")} "time" }}
modules_disabled = {{ "s2s", "tls" }}
default_archive_policy = true
authentication = "internal_plain"
storage = "internal"
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
VirtualHost "{DOMAIN}"
Component "{CONFERENCE}" "muc"
    modules_enabled = {{ "muc_mam" }}
    muc_room_default_persistent = true
    muc_room_locking = false
""")
    return Server(["prosody", "-F", "--config", f"{folder}/prosody.cfg.lua"], folder, port)


def ejabberd(folder, people, management="resumption"):
    """An ejabberd with archives and persistent rooms; its stream management is `resumption`, `acks` or `none`."""
    folder, port = made(folder, "ejabberd"), free_port()
    modules = "mod_carboncopy mod_disco mod_offline mod_ping mod_roster mod_time".split()
    (folder / "ejabberd.yml").write_text("\n".join([
        "loglevel: info", f'hosts: ["{DOMAIN}"]', "acme: {auto: false}", "s2s_access: none", "auth_method: internal",
        "auth_password_format: plain", "listen:",
        f"  - {{port: {port}, ip: {HOST}, module: ejabberd_c2s, access: all, backlog: 128}}", "modules:",
        *(f"  {module}: {{}}" for module in modules), "  mod_mam: {default: always}",
        *([] if management == "none" else [f"  mod_stream_mgmt: {{resume_timeout: {300 * (management != 'acks')}}}"]),
        f'  mod_muc: {{host: "{CONFERENCE}", default_room_options: {{mam: true, persistent: true}}}}', ""]))
    registering = " ".join(
        f'ejabberd_auth:try_register(<<"{name}">>, <<"{DOMAIN}">>, <<"{PASSWORD}">>),' for name in people)
    libraries = ":".join(map(str, pathlib.Path("/usr/lib").glob("*-linux-*")))
    environment = os.environ | {
        "HOME": str(folder), "EJABBERD_CONFIG_PATH": f"{folder}/ejabberd.yml", "ERL_CRASH_DUMP_BYTES": "0",
        "EJABBERD_LOG_PATH": f"{folder}/ejabberd.log", "ERL_LIBS": libraries}
    # Without a node name, Erlang doesn't start its port mapper.
    words = ["erl", "-noinput", "+sbwt", "none", "-mnesia", "dir", f'"{made(folder, "data")}"', "-s", "ejabberd",
             "-eval", f"{registering} mnesia:sync_log()."]
    return Server(words, folder, port, environment)


def ngircd(folder):
    """An ngircd, which has few of IRCv3's capabilities."""
    folder, port = made(folder, "ngircd"), free_port()
    (folder / "ngircd.conf").write_text(f"""
[Global]
Name = irc.test
Info = soak
AdminEMail = soak@irc.test
Listen = {HOST}
Ports = {port}
[Limits]
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = 30
MaxPenaltyTime = 0
[Options]
Ident = no
DNS = no
PAM = no
IncludeDir = {made(folder, "more")}
""")
    return Server(["/usr/sbin/ngircd", "-n", "-f", f"{folder}/ngircd.conf"], folder, port)


def inspircd(folder):
    """An inspircd, with IRCv3's capabilities except history."""
    folder, port = made(folder, "inspircd"), free_port()
    wanted = """botmode cap chghost ircv3 ircv3_accounttag ircv3_batch ircv3_capnotify ircv3_chghost ircv3_ctctags
        ircv3_echomessage ircv3_invitenotify ircv3_labeledresponse ircv3_msgid ircv3_servertime monitor namesx
        services_account setname uhnames""".split()
    modules = [name for name in wanted if os.path.exists(f"/usr/lib/inspircd/modules/m_{name}.so")]
    (folder / "inspircd.conf").write_text(f"""
<server name="irc.test" description="soak" network="Soak" id="1IN">
<admin name="soak" nick="soak" email="soak@irc.test">
<bind address="{HOST}" port="{port}" type="clients">
<connect name="soak" allow="*" timeout="60" pingfreq="120" hardsendq="1M" softsendq="512K" threshold="100000"
    commandrate="1000000" fakelag="no" recvq="1M" localmax="1000" globalmax="1000" maxconnwarn="no"
    resolvehostnames="no" useident="no" limit="5000">
<log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="{folder}/ircd.log">
<options casemapping="rfc1459" defaultmodes="nt">
<limits maxnick="30" maxchan="64">
""" + "".join(f'<module name="{name}">\n' for name in modules))
    return Server(
        ["/usr/sbin/inspircd", "--nofork", "--nopid", "--config", f"{folder}/inspircd.conf"], folder, port)
