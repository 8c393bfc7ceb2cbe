"""A person on XMPP: a plain client without stream management, which reads archives at the end."""
import asyncio, base64, itertools, re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from processes import DOMAIN, HOST, PASSWORD, Failure

CLIENT, MUC, MAM = "{jabber:client}", "http://jabber.org/protocol/muc", "urn:xmpp:mam:2"
DELAY, RSM = "{urn:xmpp:delay}delay", "http://jabber.org/protocol/rsm"


class XMPPPerson:
    """A client. `heard` is called with each message with a body that isn't delayed, `seen` with each presence."""

    def __init__(self, port, name, room, nick, heard=lambda message: None, seen=lambda presence: None):
        self.port, self.name, self.room, self.nick = port, name, room, nick
        self.heard, self.seen, self.numbers = heard, seen, itertools.count()
        self.answers, self.archived, self.is_in_room, self.is_on = {}, [], False, False

    async def connect(self):
        """Logs in and enters the room."""
        self.answers, self.is_in_room = {}, False
        self.reader, self.writer = await asyncio.open_connection(HOST, self.port)
        header = (f"<?xml version='1.0'?><stream:stream to='{DOMAIN}' version='1.0' xmlns='jabber:client' "
                  "xmlns:stream='http://etherx.jabber.org/streams'>")
        self.send(header)
        await self.pass_to(b"</stream:features>")
        secret = base64.b64encode(f"\0{self.name}\0{PASSWORD}".encode()).decode()
        self.send(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{secret}</auth>")
        await self.pass_to(b"<success")
        self.send(header)
        self.parser = ElementTree.XMLPullParser(("start", "end"))
        self.reading = asyncio.create_task(self.read())
        self.is_on = True
        await self.ask("set", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>", None)
        self.send("<presence/>")
        self.send(f"<presence to='{self.room}/{self.nick}'><x xmlns='{MUC}'><history maxstanzas='0'/></x></presence>")
        async with asyncio.timeout(30):
            while not self.is_in_room:
                await asyncio.sleep(0.01)
        return self

    async def close(self):
        self.writer.close()
        await self.reading

    def send(self, text):
        self.writer.write(text.encode())

    async def pass_to(self, end):
        async with asyncio.timeout(30):
            data = await self.reader.readuntil(end)
        if b"<failure" in data:
            raise Failure(data.decode())
        if end == b"<success":
            await self.reader.readuntil(b">")

    async def read(self):
        depth, root = 0, None
        try:
            while data := await self.reader.read(65536):
                self.parser.feed(data)
                for event, element in self.parser.read_events():
                    depth += 1 if event == "start" else -1
                    if event == "start" and root is None:
                        root = element
                    elif event == "end" and depth == 1:
                        self.take(element)
                        root.clear()
        except (OSError, ElementTree.ParseError):
            pass
        self.is_on = False
        for answer in self.answers.values():
            answer.cancel()

    def take(self, stanza):
        kind = stanza.tag.removeprefix(CLIENT)
        if kind == "iq" and stanza.get("type") in ("result", "error"):
            if (answer := self.answers.pop(stanza.get("id"), None)) and not answer.done():
                answer.set_result(stanza)
        elif kind == "iq":
            to = f" to='{stanza.get('from')}'" if stanza.get("from") else ""
            self.send(f"<iq type='result' id='{stanza.get('id')}'{to}/>")
        elif kind == "presence":
            is_own = stanza.find(f".//{{{MUC}#user}}status[@code='110']") is not None
            self.is_in_room = self.is_in_room or is_own
            self.seen(stanza)
        elif (result := stanza.find(f"{{{MAM}}}result")) is not None:
            self.archived.append(result.find(f".//{CLIENT}message"))
        elif stanza.find(f"{CLIENT}body") is not None and stanza.find(DELAY) is None:
            self.heard(stanza)

    async def ask(self, kind, content, to):
        name = f"q{next(self.numbers)}"
        self.answers[name] = asyncio.get_running_loop().create_future()
        self.send(f"<iq type='{kind}' id='{name}'{f' to={to!r}' if to else ''}>{content}</iq>")
        async with asyncio.timeout(60):
            return await self.answers[name]

    def say(self, text, name):
        self.send(f"<message to='{self.room}' type='groupchat' id='{name}'><body>{escape(text)}</body></message>")

    def tell(self, address, text, name):
        self.send(f"<message to='{address}' type='chat' id='{name}'><body>{escape(text)}</body></message>")

    async def archive(self, of=None):
        """Returns the messages of an archive: that of the room, or of the account if there is no address."""
        self.archived, after = [], ""
        while True:
            query = (f"<query xmlns='{MAM}' queryid='soak'><set xmlns='{RSM}'><max>50</max>"
                     f"<after>{after}</after></set></query>") if after else (
                         f"<query xmlns='{MAM}' queryid='soak'><set xmlns='{RSM}'><max>50</max></set></query>")
            answer = await self.ask("set", query, of)
            end = answer.find(f"{{{MAM}}}fin")
            if end is None:
                raise Failure(f"no archive: {ElementTree.tostring(answer)}")
            last = end.find(f".//{{{RSM}}}last")
            if end.get("complete") == "true" or last is None:
                return [message for message in self.archived if message is not None]
            after = escape(last.text)


def body(message):
    return message.findtext(f"{CLIENT}body", "")
