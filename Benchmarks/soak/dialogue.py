"""A dialogue of numbered commands in a room and in private on XMPP, and its evaluation."""
import asyncio, collections, time

from processes import CONFERENCE, DOMAIN, ROBOT, until
from xmpp_person import XMPPPerson, body

ROOM = f"soak@{CONFERENCE}"
PEOPLE = (ROBOT, "ada")


class Dialogue:
    """What Ada has said, and the ids of the answers to each command."""

    def __init__(self, port, proxy):
        self.port, self.proxy, self.sent, self.repeated, self.departures = port, proxy, {}, 0, 0
        self.answers = collections.defaultdict(set)
        self.ada = XMPPPerson(port, "ada", ROOM, "Ada", self.hear, self.see)

    def hear(self, message):
        text, name = body(message), message.get("id") or ""
        if self.is_answer(message):
            self.repeated += name in self.answers[text]
            self.answers[text].add(name)

    def is_answer(self, message):
        sender = message.get("from", "")
        return sender == f"{ROOM}/{ROBOT}" or sender.startswith(f"{ROBOT}@{DOMAIN}")

    def see(self, presence):
        self.departures += presence.get("from") == f"{ROOM}/{ROBOT}" and presence.get("type") == "unavailable"

    def command(self, number):
        """Gives a command: in turn in the room and in private."""
        text = f"{'private' if number % 2 else 'public'} {number}"
        self.sent[text] = time.monotonic()
        if number % 2:
            self.ada.tell(f"{ROBOT}@{DOMAIN}", f"echo {text}", f"c{number}")
        else:
            self.ada.say(f"{ROBOT}: echo {text}", f"c{number}")

    @property
    def unanswered(self):
        return [text for text in self.sent if not self.answers[text]]

    async def enter(self, within=60):
        """Returns when the robot answers in the room and in private."""
        await self.ada.connect()
        await self.answer(within)

    async def answer(self, within=60):
        """Asks until the robot answers."""
        for attempt in range(within):
            text = f"hello {time.monotonic()}"
            self.ada.say(f"{ROBOT}: echo {text}", text)
            for _ in range(100):
                if self.answers[text]:
                    return
                await asyncio.sleep(0.01)
        await until(lambda: False, "answer", 0)

    async def pause(self, seconds, most):
        """Waits some seconds between two commands, and longer while more of the last 20 s are unanswered.

        Older ones may have been lost by a server that was killed.
        """
        await asyncio.sleep(seconds)
        while sum(time.monotonic() - self.sent[text] < 20 for text in self.unanswered) > most:
            await asyncio.sleep(0.05)

    async def rest(self, within=60):
        """Waits until everything is answered, and a little longer for what is answered twice."""
        end = time.monotonic() + within
        while self.unanswered and time.monotonic() < end:
            await asyncio.sleep(0.1)
        await self.answer()
        await asyncio.sleep(2)

    async def evaluate(self, may_double=False):
        """Prints the result; returns whether each command was answered, and unless `may_double`, only once."""
        live = {text: set(self.answers[text]) for text in self.sent}
        room, account = await self.ada.archive(ROOM), await self.ada.archive()
        # A server that was killed may have a command in the archive of its sender only.
        robot = XMPPPerson(self.port, ROBOT, ROOM, "Archivist")
        await robot.connect()
        commands = {body(message).removeprefix(f"{ROBOT}: ").removeprefix("echo ")
                    for message in room + await robot.archive() if not self.is_answer(message)}
        await robot.close()
        for message in room + account:
            if self.is_answer(message):
                self.answers[body(message)].add(message.get("id") or "")
        counts = {text: len(self.answers[text]) for text in self.sent}
        missing = [text for text, count in counts.items() if count == 0]
        lost = [text for text in missing if text not in commands]
        eaten = [text for text in missing if text in commands and text in self.proxy.said]
        silent = [text for text in missing if text not in lost and text not in eaten]
        doubled = [text for text, count in counts.items() if count > 1]
        print(f"{len(self.sent)} commands, {self.proxy.cuts} cuts: unanswered {len(silent)} {silent[:8]}, "
              f"doubled {len(doubled)} {doubled[:8]}")
        print(f"  answers that came again with the same id {self.repeated}, answers only in the archive "
              f"{sum(bool(self.answers[text]) and not names for text, names in live.items())}, commands lost by the "
              f"server {len(lost)}, answers lost on their way {len(eaten)} {eaten[:8]}, departures {self.departures}")
        return not silent and not eaten and (may_double or not doubled)
