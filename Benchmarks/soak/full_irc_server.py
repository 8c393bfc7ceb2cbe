"""An IRC server with every capability that the robot knows, history included."""
import asyncio, contextlib, datetime, itertools

from processes import HOST

CAPABILITIES = """account-notify account-tag batch cap-notify chghost draft/channel-rename draft/chathistory draft/multiline
    draft/pre-away echo-message extended-join invite-notify labeled-response message-tags multi-prefix server-time setname
    standard-replies no-implicit-names extended-monitor""".split()
SUPPORT = "CHANTYPES=# PREFIX=(ov)@+ NICKLEN=30 CASEMAPPING=ascii CHATHISTORY=100 WHOX BOT=B MONITOR=100 NETWORK=Full"
SERVER = "full.test"


def now():
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + "Z"


class Client:
    """A connection. Each user has an account with the name of the nick."""

    def __init__(self, server, writer):
        self.server, self.writer, self.nick, self.caps = server, writer, "*", set()
        self.has_user = self.is_negotiating = self.is_registered = False
        self.channels = set()

    @property
    def source(self):
        return f"{self.nick}!{self.nick}@host.test"

    def send(self, line, **tags):
        wanted = {"time": "server-time", "account": "account-tag", "batch": "batch", "label": "labeled-response"}
        tags = {name: value for name, value in tags.items()
                if wanted.get(name, "message-tags") in self.caps and value is not None}
        text = ";".join(f"{name}={value}" for name, value in tags.items())
        self.writer.write((f"@{text} " if text else "").encode() + line.encode() + b"\r\n")

    def tell(self, number, rest, label=None):
        self.send(f":{SERVER} {number} {self.nick} {rest}", time=now(), label=label)


class Server:
    """The server. Every user is in the history of private messages by the nick."""

    def __init__(self):
        self.clients, self.history, self.numbers = {}, [], itertools.count(1)

    async def start(self):
        self.listener = await asyncio.start_server(self.accept, HOST, 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def accept(self, reader, writer):
        client = Client(self, writer)
        with contextlib.suppress(OSError, ValueError, asyncio.CancelledError):
            while line := await reader.readline():
                if not line.endswith(b"\n"):
                    break
                self.take(client, line.decode(errors="replace").rstrip("\r\n"))
        self.quit(client)

    def quit(self, client):
        client.writer.close()
        if self.clients.get(client.nick) is client:
            del self.clients[client.nick]
            self.show(client, f":{client.source} QUIT :gone", client.channels)

    def show(self, client, line, channels):
        for other in self.clients.values():
            if other is not client and other.channels & channels:
                other.send(line, time=now(), account=client.nick)

    def members(self, channel):
        return [client for client in self.clients.values() if channel in client.channels]

    def take(self, client, line):
        label = batch = None
        if line.startswith("@"):
            tags, _, line = line.partition(" ")
            tags = dict(tag.partition("=")[::2] for tag in tags[1:].split(";"))
            label, batch = tags.get("label"), tags.get("batch")
        head, colon, last = line.partition(" :")
        command, *words = head.split() or [""]
        words += [last] if colon else []
        words += [""] * 4
        if handler := getattr(self, f"take_{command.lower()}", None):
            handler(client, words, label)
        elif label:
            client.send(f":{SERVER} ACK", label=label)

    def take_cap(self, client, words, label):
        what = words[0].upper()
        client.is_negotiating = what != "END" and not client.is_registered
        if what == "LS":
            client.send(f":{SERVER} CAP {client.nick} LS :{' '.join(CAPABILITIES)} draft/multiline=max-bytes=4096")
        elif what == "REQ":
            client.caps |= set(words[1].split())
            client.send(f":{SERVER} CAP {client.nick} ACK :{words[1]}")
        self.welcome(client)

    def take_nick(self, client, words, label):
        old = self.clients.get(words[0])
        if old and old is not client:
            return client.send(f":{SERVER} 433 {client.nick} {words[0]} :Nickname is already in use")
        if client.is_registered:
            del self.clients[client.nick]
            client.send(f":{client.source} NICK {words[0]}")
        client.nick = words[0]
        if client.is_registered:
            self.clients[client.nick] = client
        self.welcome(client)

    def take_user(self, client, words, label):
        client.has_user = True
        self.welcome(client)

    def welcome(self, client):
        if client.is_negotiating or client.is_registered or client.nick == "*" or not client.has_user:
            return
        client.is_registered = True
        self.clients[client.nick] = client
        for number, rest in (("001", ":Welcome"), ("002", ":Your host"), ("003", ":Today"), ("004", f"{SERVER} soak o o"),
                             ("005", f"{SUPPORT} :are supported by this server"), ("422", ":No message of the day")):
            client.tell(number, rest)

    def take_join(self, client, words, label):
        for channel in words[0].split(","):
            client.channels.add(channel)
            for other in self.members(channel):
                extended = f" {client.nick} :{client.nick}" if "extended-join" in other.caps else ""
                other.send(f":{client.source} JOIN {channel}{extended}", time=now(), account=client.nick)
            if "no-implicit-names" not in client.caps:
                self.take_names(client, [channel], None)

    def take_names(self, client, words, label):
        names = " ".join(member.nick for member in self.members(words[0]))
        client.tell("353", f"= {words[0]} :{names}", label)
        client.tell("366", f"{words[0]} :End of /NAMES list.")

    def take_who(self, client, words, label):
        fields = words[1].partition("%")[2].partition(",")
        members = self.members(words[0]) or [self.clients[nick] for nick in words[:1] if nick in self.clients]
        values = {"t": fields[2], "c": words[0], "u": "", "i": "0", "h": "host.test", "s": SERVER, "f": "H", "d": "0",
                  "l": "0", "o": "n/a"}
        for member in members:
            values |= {"n": member.nick, "a": member.nick, "u": member.nick, "r": f":{member.nick}"}
            if fields[0]:
                client.tell("354", " ".join(values[field] for field in "tcuihsnfdlaor" if field in fields[0]))
            else:
                client.tell("352", f"{words[0]} {member.nick} host.test {SERVER} {member.nick} H :0 {member.nick}")
        client.tell("315", f"{words[0]} :End of /WHO list.")

    def take_ping(self, client, words, label):
        client.send(f":{SERVER} PONG {SERVER} :{words[0]}", label=label)

    def take_mode(self, client, words, label):
        client.tell("324" if words[0].startswith("#") else "221", f"{words[0]} +" if words[0][0] == "#" else "+", label)

    def take_privmsg(self, client, words, label, command="PRIVMSG"):
        target, text, moment = words[0], words[1], now()
        name = f"m{next(self.numbers)}"
        line = f":{client.source} {command} {target} :{text}"
        self.history.append((moment, name, client.nick, target, line))
        if "echo-message" in client.caps:
            client.send(line, time=moment, msgid=name, account=client.nick, label=label)
        elif label:
            client.send(f":{SERVER} ACK", label=label)
        for other in self.members(target) or [self.clients[nick] for nick in (target,) if nick in self.clients]:
            if other is not client:
                other.send(line, time=moment, msgid=name, account=client.nick)

    def take_notice(self, client, words, label):
        self.take_privmsg(client, words, label, "NOTICE")

    def take_chathistory(self, client, words, label):
        kind = words[0].upper()
        if kind == "TARGETS":
            start, end = sorted(word.partition("=")[2] for word in words[1:3])
            mine = {}
            for moment, _, nick, target, _ in self.history:
                if start < moment < end and client.nick in (nick, target):
                    mine[nick if target == client.nick else target] = moment
            lines = [(f":{SERVER} CHATHISTORY TARGETS {target} {moment}", {}) for target, moment in mine.items()]
            self.batch(client, "draft/chathistory-targets", lines, label)
        elif kind == "AFTER":
            target, start, most = words[1], words[2].partition("=")[2], int(words[3])
            lines = [(line, {"time": moment, "msgid": name, "account": nick})
                     for moment, name, nick, to, line in self.history if moment > start and (
                         to == target if target.startswith("#") else {to, nick} == {client.nick, target})]
            self.batch(client, f"chathistory {target}", lines[:most], label)

    def batch(self, client, kind, lines, label):
        name = f"b{next(self.numbers)}"
        client.send(f":{SERVER} BATCH +{name} {kind}", label=label)
        for line, tags in lines:
            client.send(line, **tags, batch=name)
        client.send(f":{SERVER} BATCH -{name}")

    def take_quit(self, client, words, label):
        client.send("ERROR :Bye")
        client.writer.close()
