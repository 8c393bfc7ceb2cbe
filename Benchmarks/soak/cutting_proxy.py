"""A TCP proxy between the robot and a server that cuts connections."""
import asyncio, contextlib, os, random, re, time

from processes import HOST

STANZA = re.compile(rb"<message\b.*?</message>", re.S)


class Proxy:
    """Passes on what both sides send.

    `cut_every` is after how many messages (XMPP, in both directions) a connection is cut, 0 for never. What the robot has
    said is in `said`: the ids by text.
    """

    def __init__(self, port, cut_every=0, seed=1):
        self.server_port, self.cut_every, self.dice = port, cut_every, random.Random(seed)
        self.connections, self.said, self.cut_times, self.messages = set(), {}, [], 0

    async def start(self):
        self.listener = await asyncio.start_server(self.accept, HOST, 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    @property
    def cuts(self):
        return len(self.cut_times)

    def cut(self):
        """Cuts all connections: what is under way is lost."""
        if self.connections:
            self.cut_times.append(time.monotonic())
        for writers in list(self.connections):
            for writer in writers:
                # Half of the cuts reset the connection, and the others close it.
                writer.transport.abort() if self.dice.random() < 0.5 else writer.close()
        self.connections.clear()

    async def accept(self, reader, writer):
        try:
            server_reader, server_writer = await asyncio.open_connection(HOST, self.server_port)
        except OSError:
            return writer.close()
        both = (writer, server_writer)
        self.connections.add(both)
        with contextlib.suppress(asyncio.CancelledError):  # At the end.
            await asyncio.gather(
                self.pump(reader, server_writer, both, True), self.pump(server_reader, writer, both, False))

    async def pump(self, reader, writer, both, is_robot):
        rest = b""
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if both not in self.connections:
                    break
                start, rest = len(rest), rest + data
                end, is_cut = 0, False
                for stanza in STANZA.finditer(rest):
                    end = stanza.end()
                    is_cut = self.take(stanza[0], is_robot)
                    if is_cut:  # There, or within the next stanza.
                        data = rest[start:end + self.dice.choice((0, 0, 1, 50, 200))]
                        break
                writer.write(data)
                self.trace(both, is_robot, data)
                if is_cut:
                    await asyncio.wait_for(writer.drain(), 1)
                    self.cut()
                    break
                rest = rest[end:][-4096:]
                await writer.drain()
        self.connections.discard(both)
        for other in both:
            other.close()

    def trace(self, both, is_robot, data):
        """Writes what was passed on to files in SOAK_TRACE."""
        if folder := os.environ.get("SOAK_TRACE"):
            with open(f"{folder}/{time.strftime('%H%M%S')}-{id(both)}-{'robot' if is_robot else 'server'}", "ab") as file:
                file.write(data)

    def take(self, stanza, is_robot):
        """Counts a message; returns whether the connection is to be cut after it."""
        text = re.search(rb"<body>(.*?)</body>", stanza)
        if not text or b"urn:xmpp:delay" in stanza or b"urn:xmpp:mam:2" in stanza:
            return False
        if is_robot:
            name = re.search(rb"""^<message[^>]*?\bid=["']([^"']*)""", stanza)
            self.said.setdefault(text[1].decode(), []).append(name[1].decode() if name else "")
        self.messages += 1
        return bool(self.cut_every) and self.messages % self.cut_every == 0
