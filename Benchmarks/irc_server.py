"""The IRC server of irc-flood.py: one room with some users, and the bot's connection."""
import contextlib, re, select, socket, subprocess, time

NICK, ROOM, SERVER, ANSWER = "marvin", "#bench", "irc.test", "PONG"
ASK = f"{NICK}: ping"
PEOPLE = ("Ada!~ada@host-12.example.net", "grace_h!grace@navy.example.org", "Edsger!ewd@2001:db8::1972",
          "barbara!~liskov@gateway/web/x-77", "kirill!~kirill@dsl-9.example.com", "tony_h!~tony@198.51.100.7",
          "Frances!fran@user/frances", "melanie!~mel@host-3.example.fr")


class Failure(Exception):
    """A bot failed. The end of its log has the reason."""

    def __init__(self, bot, what):
        super().__init__(f"{bot.name} {what}")
        self.bot = bot


class Connection:
    """The bot's connection. It answers what a bot needs to join the room."""

    def __init__(self, bot, process, sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        self.bot, self.process, self.sock, self.outgoing, self.pending = bot, process, sock, memoryview(b""), b""
        self.nick, self.has_user, self.is_negotiating, self.is_registered = None, False, False, False
        self.joined_at = self.said_at = self.pong = None
        self.said, self.others, self.step = 0, [], "join"

    def send(self, data):
        self.outgoing = memoryview(bytes(self.outgoing) + data)
        self.flush()

    def tell(self, *lines):
        self.send("".join(f":{SERVER} {line}\r\n" for line in lines).encode())

    def flush(self):
        with contextlib.suppress(BlockingIOError):
            while self.outgoing:
                self.outgoing = self.outgoing[self.sock.send(self.outgoing[:65536]):]

    def pump(self, until, within):
        """Sends and receives until the condition is true; returns whether that was in time."""
        deadline = time.monotonic() + within
        try:
            while not until():
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                readable, writable, _ = select.select([self.sock], [self.sock] if self.outgoing else [], [], left)
                if writable:
                    self.flush()
                if readable:
                    if not (data := self.sock.recv(65536)):
                        raise ConnectionError
                    self.take(data, time.monotonic())
        except ConnectionError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            raise Failure(self.bot, gone(self.process, self.step)) from None
        return True

    def expect(self, until, within, step):
        self.step = step
        if not self.pump(until, within):
            raise Failure(self.bot, f"doesn't {step} within {within} s")

    def rest(self, seconds):
        """Receives for that many seconds."""
        self.step = "stay"
        self.pump(lambda: False, seconds)

    def take(self, data, now):
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            head, colon, trailing = text.partition(" :")
            command, *words = head.split() or [""]
            words += [trailing] if colon else []
            getattr(self, "take_" + command.lower(), self.take_unknown)(command, *words, now=now)

    def take_cap(self, command, what="", *words, now):
        who, what = self.nick or "*", what.upper()
        self.is_negotiating = what != "END" and not self.is_registered
        if what == "LS":
            self.tell(f"CAP {who} LS :")
        elif what == "REQ":
            self.tell(f"CAP {who} NAK :{words[-1] if words else ''}")
        self.welcome()

    def take_nick(self, command, nick="", *words, now):
        self.nick = nick
        self.welcome()

    def take_user(self, command, *words, now):
        self.has_user = True
        self.welcome()

    def welcome(self):
        if self.nick and self.has_user and not self.is_negotiating and not self.is_registered:
            self.is_registered = True
            self.tell(*(f"{number} {self.nick} {text}" for number, text in (
                ("001", ":Welcome"), ("002", f":Your host is {SERVER}"), ("003", ":Made today"),
                ("004", f"{SERVER} irc-flood iow biklmnopstv"),
                ("005", "CHANTYPES=# PREFIX=(ov)@+ CHANMODES=b,k,l,imnpst NICKLEN=30 CASEMAPPING=rfc1459 :are here"),
                ("422", ":No message of the day"))))

    def take_join(self, command, rooms="", *words, now):
        if ROOM in rooms.split(","):
            self.send(f":{self.nick}!{NICK}@localhost JOIN {ROOM}\r\n".encode())
            self.take_names("NAMES", now=now)
            self.joined_at = self.joined_at or time.monotonic()

    def take_names(self, command, *words, now):
        names = " ".join([self.nick] + [person.partition("!")[0] for person in PEOPLE])
        self.tell(f"353 {self.nick} = {ROOM} :{names}", f"366 {self.nick} {ROOM} :End of /NAMES list.")

    def take_who(self, command, mask=ROOM, *words, now):
        people = [re.split("[!@]", person) for person in (*PEOPLE, f"{self.nick}!{NICK}@localhost")]
        self.tell(*(f"352 {self.nick} {ROOM} {user} {host} {SERVER} {name} H :0 {name}" for name, user, host in people),
                  f"315 {self.nick} {mask} :End of /WHO list.")

    def take_mode(self, command, target="", mode="", *words, now):
        if not target.startswith("#"):
            self.tell(f"221 {self.nick} +i")
        elif mode.strip("+") == "b":
            self.tell(f"368 {self.nick} {target} :End of channel ban list")
        else:
            self.tell(f"324 {self.nick} {target} +nt")

    def take_ping(self, command, *words, now):
        self.tell(f"PONG {SERVER} :{words[0] if words else ''}")

    def take_pong(self, command, *words, now):
        self.pong, self.pong_at = words[-1] if words else "", now

    def take_privmsg(self, command, target="", text="", *words, now):
        if target == ROOM and text == ANSWER:
            self.said, self.said_at = self.said + 1, now
        else:
            self.others.append(text)

    def take_notice(self, command, *words, now):
        self.others.append(words[-1] if words else "")

    def take_quit(self, command, *words, now):
        self.tell("ERROR :Bye")
        self.sock.shutdown(socket.SHUT_WR)

    def take_unknown(self, command, *words, now):
        if command:
            self.tell(f"421 {self.nick or '*'} {command} :Unknown command")

    def ask(self, before=b"", within=10, step="answer a command"):
        """Sends lines and a command; returns the seconds until the command is answered."""
        count, start = self.said + 1, time.monotonic()
        self.send(before + spoken(PEOPLE[0], ASK))
        self.expect(lambda: self.said >= count, within, step)
        return self.said_at - start

    def ask_first(self):
        """Repeats a command until it is answered, and returns the time; some bots join before they are ready."""
        self.step, patience, deadline = "answer its first command", 0.02, time.monotonic() + 30
        while not self.said:
            if time.monotonic() > deadline:
                raise Failure(self.bot, f"doesn't {self.step} within 30 s")
            self.send(spoken(PEOPLE[0], ASK))
            self.pump(lambda: self.said, patience)
            patience = min(patience * 1.1, 1)
        return self.said_at


def gone(process, step):
    """Describes how a bot ended."""
    status = process.poll()
    if status is None:
        return f"closed the connection when it was to {step}"
    return f"ended, {f'with status {status}' if status >= 0 else f'by signal {-status}'}, when it was to {step}"


def spoken(person, text):
    return f":{person} PRIVMSG {ROOM} :{text}\r\n".encode()
