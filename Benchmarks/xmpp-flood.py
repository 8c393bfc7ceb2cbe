#!/usr/bin/env python3
"""Measures an XMPP bot from outside: latency, and CPU time per message. Linux only.

  xmpp-flood.py --cmd 'heybot -a xmpp -n marvin' [--direct | --plain]

It runs a server on loopback, starts the bot with its settings in HEYBOT_XMPP_*, and prints a table. The bot must answer
`marvin: ping` with `PONG`. The floor is a minimal bot (`xmpp-flood.py minibot`), measured the same way. CPU is the user
and system time of all threads of the bot's process; on a busy machine (see the load) it is higher.
"""
import argparse, base64, contextlib, ctypes, functools, hashlib, hmac, os, pathlib, platform, random, re, shlex
import signal, socket, ssl, statistics, subprocess, sys, tempfile, time
from xml.etree.ElementTree import XMLPullParser
from xml.sax.saxutils import escape, quoteattr

DOMAIN, USER, PASSWORD = "xmpp.test", "marvin", base64.b32encode(os.urandom(15)).decode()
ADDRESS, ROOM, ASK, ANSWER = f"{USER}@{DOMAIN}/bench", f"bench@conference.{DOMAIN}", f"{USER}: ping", "PONG"
PEOPLE = ("Ada", "grace.h", "Edsger", "barbara", "Кирилл", "tony_h", "Frances", "mélanie")
WORDS = """the build is green again after we moved that job to another host so lunch in ten minutes anyone seen my mug
it was near the printer deploy went fine no errors since noon maybe café übrigens Привет мир 日本語 & ok sure""".split()
STREAMS, MUC, IDS = "http://etherx.jabber.org/streams", "http://jabber.org/protocol/muc", "urn:xmpp:sid:0"
TLS, SASL, BIND = (f"urn:ietf:params:xml:ns:xmpp-{name}" for name in ("tls", "sasl", "bind"))
note = functools.partial(print, file=sys.stderr, flush=True)


def encoded(data):
    return base64.b64encode(data).decode()


class Scram:
    """The server's side of a login with SCRAM (RFC 5802)."""

    def __init__(self, hash, first):
        self.hash, salt = hash, os.urandom(16)
        flag, identity, self.bare = first.split(",", 2)
        fields = dict(part.split("=", 1) for part in self.bare.split(","))
        nonce, self.is_known = fields["r"] + encoded(os.urandom(18)), fields["n"] == USER
        self.expected = f"c={encoded(f'{flag},{identity},'.encode())},r={nonce}"
        self.challenge = f"r={nonce},s={encoded(salt)},i=4096"
        self.salted = hashlib.pbkdf2_hmac(hash, PASSWORD.encode(), salt, 4096)

    def finish(self, final):
        """Returns the server's signature; None if the bot's proof is wrong."""
        rest, _, proof = final.rpartition(",p=")
        message = f"{self.bare},{self.challenge},{rest}".encode()
        stored = hashlib.new(self.hash, hmac.digest(self.salted, b"Client Key", self.hash)).digest()
        key = bytes(a ^ b for a, b in zip(hmac.digest(stored, message, self.hash), base64.b64decode(proof)))
        if not self.is_known or rest != self.expected or hashlib.new(self.hash, key).digest() != stored:
            return None
        return "v=" + encoded(hmac.digest(hmac.digest(self.salted, b"Server Key", self.hash), message, self.hash))


def stanza(dice, body=None, name=None):
    """Returns a room's message, with the ids that current servers add."""
    name, number = name or dice.choice(PEOPLE), f"{dice.getrandbits(64):016x}"
    body = escape(" ".join(dice.choices(WORDS, k=dice.randint(3, 16))) if body is None else body)
    return (f"<message from={quoteattr(f'{ROOM}/{name}')} to='{ADDRESS}' type='groupchat' id='{number}'>"
            f"<body>{body}</body><origin-id xmlns='{IDS}' id='{number}'/>"
            f"<stanza-id xmlns='{IDS}' by='{ROOM}' id='{dice.getrandbits(53):016}'/></message>")


class Stream:
    """The bot's connection. It answers what a bot needs to join the room."""

    def __init__(self, sock, setup, started):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(20)
        self.sock, self.setup, self.started, self.dice, self.is_secure = sock, setup, started, random.Random(), False
        self.login = self.mechanism = self.joined_at = self.said_at = None
        self.said, self.others = 0, []
        names = "".join(f"<mechanism>{name}</mechanism>" for name in setup.mechanisms)
        self.logins = f"<mechanisms xmlns='{SASL}'>{names}</mechanisms>"
        self.offer = f"<starttls xmlns='{TLS}'><required/></starttls>" if setup.mode == "starttls" else self.logins
        self.begin(secure=setup.mode == "direct")

    def begin(self, secure=False):
        if secure:
            self.sock, self.is_secure = self.setup.context.wrap_socket(self.sock, server_side=True), True
        self.parser, self.depth, self.root = XMLPullParser(("start", "end")), 0, None

    def send(self, xml, within=20):
        self.sock.settimeout(within)
        self.sock.sendall(xml if isinstance(xml, bytes) else xml.encode())

    def pump(self, until, within, what):
        """Receives until the condition is true."""
        deadline = time.monotonic() + within
        while not until():
            try:
                self.sock.settimeout(max(0.001, deadline - time.monotonic()))
                data = self.sock.recv(65536)
            except TimeoutError:
                raise TimeoutError(f"the bot doesn't {what} within {within} s") from None
            if not data:
                raise ConnectionError("the bot closed the connection")
            self.take(data, time.monotonic())

    def take(self, data, now):
        parser = self.parser
        parser.feed(data)
        for event, element in parser.read_events():
            self.depth += 1 if event == "start" else -1
            if (event, self.depth) == ("start", 1):
                self.root = element
                self.send(f"<stream:stream xmlns='jabber:client' xmlns:stream='{STREAMS}' version='1.0' "
                          f"from='{DOMAIN}' id='{os.urandom(8).hex()}'><stream:features>{self.offer}</stream:features>")
            elif (event, self.depth) == ("end", 1):
                self.root.remove(element)
                getattr(self, "take_" + element.tag.partition("}")[2], lambda *_: None)(element, now)
                if parser is not self.parser:
                    return
            elif self.depth == 0:
                self.send("</stream:stream>")

    def take_starttls(self, element, now):
        self.send(f"<proceed xmlns='{TLS}'/>")
        self.offer = self.logins
        self.begin(secure=True)

    def take_auth(self, element, now):
        self.mechanism, first = element.get("mechanism"), base64.b64decode(element.text or "").decode()
        if self.mechanism not in self.setup.mechanisms:
            self.send(f"<failure xmlns='{SASL}'><invalid-mechanism/></failure>")
        elif self.mechanism == "PLAIN":
            self.decide("" if first.split("\0")[1:] == [USER, PASSWORD] else None)
        else:
            self.login = Scram(self.mechanism.removeprefix("SCRAM-").replace("-", ""), first)
            self.send(f"<challenge xmlns='{SASL}'>{encoded(self.login.challenge.encode())}</challenge>")

    def take_response(self, element, now):
        self.decide(self.login.finish(base64.b64decode(element.text or "").decode()))

    def decide(self, words):
        if words is None:
            return self.send(f"<failure xmlns='{SASL}'><not-authorized/></failure>")
        self.send(f"<success xmlns='{SASL}'>{encoded(words.encode())}</success>")
        self.offer = f"<bind xmlns='{BIND}'/>"
        self.begin()

    def take_iq(self, iq, now):
        if iq.get("type") in ("get", "set"):
            known = {BIND: f"<bind xmlns='{BIND}'><jid>{ADDRESS}</jid></bind>", "urn:xmpp:ping": ""}
            content = known.get(iq[0].tag[1:].partition("}")[0])
            kind, content = ("error", "<error type='cancel'/>") if content is None else ("result", content)
            names = f"id={quoteattr(iq.get('id'))} from={quoteattr(iq.get('to', DOMAIN))} to='{ADDRESS}'"
            self.send(f"<iq type='{kind}' {names}>{content}</iq>")

    def take_presence(self, presence, now):
        room, _, nick = presence.get("to", "").partition("/")
        if room == ROOM and not presence.get("type"):
            occupants = [(name, "") for name in PEOPLE] + [(nick, "<status code='110'/>")]
            self.send("".join(
                f"<presence from={quoteattr(f'{ROOM}/{name}')} to='{ADDRESS}'><x xmlns='{MUC}#user'>"
                f"<item affiliation='member' role='participant'/>{status}</x></presence>" for name, status in occupants)
                + f"<message from='{ROOM}' to='{ADDRESS}' type='groupchat'><subject/></message>")
            self.nick, self.joined_at = nick, time.monotonic()

    def take_message(self, message, now):
        body = message.findtext("{jabber:client}body", "")
        if body == ANSWER:
            self.said, self.said_at = self.said + 1, now
        else:
            self.others.append(body)
        # A room sends a message to its sender too.
        self.send(stanza(self.dice, body, self.nick))

    def ask(self, before=(), within=10):
        """Sends messages and a command; returns the seconds until the command is answered."""
        count, command, start = self.said + 1, stanza(self.dice, ASK), time.monotonic()
        for part in before:
            self.send(part, within)
        self.send(command)
        self.pump(lambda: self.said >= count, within, "answer")
        return self.said_at - start


@contextlib.contextmanager
def running(command, setup):
    """Runs the bot in an empty directory, and yields its stream once it has joined the room."""
    stream, listener, folder = None, socket.create_server(("127.0.0.1", 0)), tempfile.mkdtemp(dir=setup.folder)
    own = {"USERNAME": f"{USER}@{DOMAIN}", "PASSWORD": PASSWORD, "ROOMS": ROOM, "UNFLOOD": "0", "RATE_BURST": "0",
           "HOST": "127.0.0.1", "PORT": str(listener.getsockname()[1])}
    own |= {"DISALLOW_TLS": "true"} if setup.mode == "plain" else {"CA_FILE": f"{setup.folder}/ca.pem"}
    own |= {"LEGACYSSL": "true"} if setup.mode == "direct" else {}
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HEYBOT_", "HUBOT_"))}
    environment |= {"HEYBOT_XMPP_" + key: value for key, value in own.items()} | {"HEYBOT_DATA": folder}
    started = time.monotonic()
    bot = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=setup.log, stderr=setup.log,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # It ends with this process (PR_SET_PDEATHSIG).
    try:
        listener.settimeout(30)
        stream = Stream(listener.accept()[0], setup, started)
        stream.pump(lambda: stream.joined_at, 30, "come into the room")
        yield bot.pid, stream
    finally:
        bot.terminate()
        with contextlib.suppress(OSError):
            stream and stream.pump(lambda: False, 5, "leave")  # It may close the stream.
        try:
            bot.wait(10)
        except subprocess.TimeoutExpired:
            note(f"process {bot.pid} doesn't end by itself")
            bot.kill()
            bot.wait()
        listener.close()


def cpu(pid):
    """Returns the CPU time of a process in microseconds, from its own clock (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1000


def memory(pid):
    """Returns the resident memory in MB."""
    return int(re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def measure_starts(command, setup):
    joined, answered = [], []
    for _ in range(setup.starts):
        with running(command, setup) as (_, stream):
            stream.ask()
            joined.append((stream.joined_at - stream.started) * 1000)
            answered.append((stream.said_at - stream.started) * 1000)
    return {"start to joined, ms": statistics.median(joined), "start to first answer, ms": statistics.median(answered)}


def measure_floods(what, pid, stream, setup):
    costs, rates, resident = [], [], []
    for flood in range(setup.floods):
        dice, count = random.Random(flood), setup.messages
        chat = [stanza(dice) for _ in range(count)]
        parts = ["".join(chat[at : at + setup.per_write]).encode() for at in range(0, count, setup.per_write)]
        time.sleep(0.5)
        before = cpu(pid)
        rates.append(count / stream.ask(parts, 120))
        time.sleep(0.5)
        costs.append((cpu(pid) - before) / count)
        resident.append(memory(pid))
        note(f"{what}: flood {flood + 1}, {sum(map(len, parts)) / count:.0f} bytes a message, {costs[-1]:.2f} µs each, "
             f"{rates[-1]:,.0f}/s, {resident[-1]:.1f} MB, load {os.getloadavg()[0]:.2f}")
    return {"CPU per room message, µs": statistics.median(costs), "the same, least of all floods": min(costs),
            "room messages per second": statistics.median(rates), "resident after the first flood, MB": resident[0],
            "resident after the last flood, MB": resident[-1]}


def measure(what, command, setup):
    """Returns a column of the table, by row."""
    with running(command, setup) as (pid, stream):
        secret, count = " ".join(stream.sock.cipher()[:2]) if stream.is_secure else "no TLS", setup.commands
        note(f"{what}: process {pid}, {secret}, {stream.mechanism}")
        for _ in range(50):
            stream.ask()
        time.sleep(1)
        before = cpu(pid)
        trips = sorted(stream.ask() * 1000 for _ in range(count))
        rows = {"command to answer, ms, p50": trips[count // 2], "command to answer, ms, p99": trips[count * 99 // 100],
                "CPU per command, µs": (cpu(pid) - before) / count} | measure_floods(what, pid, stream, setup)
        if stream.others:
            note(f"{what}: {len(stream.others)} unexpected answers, such as {stream.others[:3]}")
    return rows


def minibot():
    """A minimal bot: it searches the bytes for the command, and doesn't parse XML."""
    setting = {key.removeprefix("HEYBOT_XMPP_"): value for key, value in os.environ.items()}
    sock, pending = socket.create_connection((setting["HOST"], int(setting["PORT"]))), b""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def exchange(text, end):
        nonlocal pending
        sock.sendall(text.encode())
        while end not in pending:
            pending += sock.recv(65536) or sys.exit("the server closed the connection")
        pending = pending.partition(end)[2]

    header = f"<stream:stream xmlns='jabber:client' xmlns:stream='{STREAMS}' version='1.0' to='{DOMAIN}'>"
    if "DISALLOW_TLS" not in setting:
        if "LEGACYSSL" not in setting:
            exchange(header, b"</stream:features>")
            exchange(f"<starttls xmlns='{TLS}'/>", b"/>")
        sock = ssl.create_default_context(cafile=setting["CA_FILE"]).wrap_socket(sock, server_hostname=DOMAIN)
    exchange(header, b"</stream:features>")
    login = encoded(f"\0{USER}\0{setting['PASSWORD']}".encode())
    exchange(f"<auth xmlns='{SASL}' mechanism='PLAIN'>{login}</auth>", b"</success>")
    exchange(header, b"</stream:features>")
    exchange(f"<iq type='set' id='1'><bind xmlns='{BIND}'/></iq>", b"</iq>")
    exchange(f"<presence to='{ROOM}/{USER}'><x xmlns='{MUC}'/></presence>", b"<subject/></message>")
    command = f">{ASK}</body>".encode()
    while True:
        for _ in range(pending.count(command)):
            sock.sendall(f"<message to='{ROOM}' type='groupchat'><body>{ANSWER}</body></message>".encode())
        pending = pending[1 - len(command):] + (sock.recv(65536) or sys.exit())


def make_certificates(folder):
    def certify(*arguments):
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split()
        subprocess.run(command + list(arguments), cwd=folder, check=True, capture_output=True)
    certify("-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=xmpp-flood")
    certify("-keyout", "server.key", "-out", "server.pem", "-subj", f"/CN={DOMAIN}", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-addext", f"subjectAltName=DNS:{DOMAIN}", "-addext", "basicConstraints=critical,CA:FALSE")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
    context.set_alpn_protocols(["xmpp-client"])
    return context


def main():
    if sys.argv[1:] == ["minibot"]:
        return minibot()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmd", required=True, help="the command of the bot, run without a shell")
    mode = parser.add_mutually_exclusive_group()
    for name, text in (("direct", "direct TLS"), ("plain", "no TLS")):
        mode.add_argument(f"--{name}", dest="mode", action="store_const", const=name, default="starttls", help=text)
    parser.add_argument("--sasl", default="SCRAM-SHA-256,SCRAM-SHA-1,PLAIN", help="the SASL mechanisms to offer: %(default)s")
    parser.add_argument("--floor", action=argparse.BooleanOptionalAction, default=True, help="measure the floor too")
    for name, count, text in (("starts", 5, "number of starts"), ("commands", 500, "number of commands"),
                              ("floods", 10, "number of floods"), ("messages", 20_000, "messages of a flood"),
                              ("per-write", 100, "messages per write of the server")):
        parser.add_argument(f"--{name}", type=int, default=count, help=f"{text}: %(default)s")
    parser.add_argument("--log", default="/dev/null", help="the file for the bot's log")
    setup = parser.parse_args()
    setup.mechanisms, command, load = setup.sasl.split(","), shlex.split(setup.cmd), os.getloadavg()[0]
    command[0] = os.path.abspath(command[0]) if "/" in command[0] else command[0]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that the bot is ended too.
    with tempfile.TemporaryDirectory() as setup.folder, open(setup.log, "ab") as setup.log:
        try:
            setup.context = make_certificates(setup.folder)
            bot, floor = measure_starts(command, setup) | measure("bot", command, setup), {}
            if setup.floor:
                setup.mechanisms = ["PLAIN"]
                floor = measure("floor", [sys.executable, os.path.abspath(__file__), "minibot"], setup)
        except (OSError, subprocess.SubprocessError) as error:
            sys.exit(f"xmpp-flood: {error or type(error).__name__}; see --log")
    model = re.search(r"model name\s*: (.*)|$", pathlib.Path("/proc/cpuinfo").read_text())[1] or platform.machine()
    print(f"{platform.node()}: {os.cpu_count()} × {model}, Linux {platform.release()}, load {load:.2f} before and "
          f"{os.getloadavg()[0]:.2f} after; {setup.mode}, {setup.floods} floods of {setup.messages:,} messages, "
          f"{setup.per_write} in one piece.\n")
    print("| what | bot | floor | ratio |\n|---|---:|---:|---:|")
    for row, value in bot.items():
        least = None if row.startswith("resident") else floor.get(row)  # Python's memory isn't minimal.
        numbers = [value] if least is None else [value, least, value / least]
        cells = [f"{number:,.0f}" if number >= 100 else f"{number:.3g}" for number in numbers] + ["", ""]
        print("| " + " | ".join([row] + cells[:3]) + " |")


if __name__ == "__main__":
    main()
