"""A person on IRC: a plain client in one channel."""
import asyncio, contextlib

from processes import HOST


class IRCPerson:
    """A client. `heard` is called with the source, target and text of each message, `seen` with a nick and its coming or
    going."""

    def __init__(self, port, nick, channel, heard, seen):
        self.port, self.nick, self.channel, self.heard, self.seen = port, nick, channel, heard, seen
        self.is_in = False

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection(HOST, self.port, limit=1 << 20)
        self.send(f"NICK {self.nick}", f"USER {self.nick} 0 * :{self.nick}")
        self.reading = asyncio.create_task(self.read())
        async with asyncio.timeout(30):
            while not self.is_in:
                await asyncio.sleep(0.01)
        return self

    def send(self, *lines):
        self.writer.write("".join(f"{line}\r\n" for line in lines).encode())

    def say(self, target, text):
        self.send(f"PRIVMSG {target} :{text}")

    async def read(self):
        with contextlib.suppress(OSError):
            while line := await self.reader.readline():
                self.take(line.decode(errors="replace").rstrip("\r\n"))

    def take(self, line):
        source, line = line[1:].split(" ", 1) if line.startswith(":") else ("", line)
        head, _, last = line.partition(" :")
        command, *words = head.split()
        nick = source.partition("!")[0]
        if command == "PING":
            self.send(f"PONG :{last or words[0]}")
        elif command == "001":
            self.send(f"JOIN {self.channel}")
        elif command == "366":
            self.is_in = True
        elif command == "353":
            for name in last.split():
                self.seen(name.lstrip("@+"), True)
        elif command == "PRIVMSG":
            self.heard(nick, words[0], last)
        elif command in ("JOIN", "QUIT", "PART"):
            self.seen(nick, command == "JOIN")
