#!/usr/bin/env python3
"""Runs a robot on three IRC networks and an XMPP server, and cuts their connections at random.

  networks.py --robot .build/release/heybot

The networks are an ngircd, an inspircd, a scripted server with every capability of IRCv3, and a Prosody. Each command must be
answered exactly once; on servers without history, one that was given within seconds of a cut at most once. Everybody who asks
"who am I" must be told their own id. The memory is printed after a tenth of the time and at the end.
"""
import argparse, asyncio, collections, random, re, signal, sys, time

sys.dont_write_bytecode = True
import processes
from cutting_proxy import Proxy
from full_irc_server import Server as FullServer
from irc_person import IRCPerson
from processes import CONFERENCE, DOMAIN, ROBOT, until
from xmpp_person import XMPPPerson, body

CHANNEL, ROOM, PEOPLE = "#soak", f"soak@{CONFERENCE}", ("ada", "bob", "carol")
WHO = re.compile(r"(?:(\w+)[:,] )?You're (\S+) \((\S+?)\)")


class Network:
    """A network with its people, and what they have said. `is_complete` if the server keeps what the robot misses."""

    def __init__(self, name, proxy, is_complete):
        self.name, self.proxy, self.is_complete = name, proxy, is_complete
        self.people, self.said, self.answers = {}, {}, collections.Counter()
        self.asked, self.told, self.mixed, self.returns, self.is_here = {}, collections.Counter(), [], [], False

    def command(self, dice, number):
        nick, is_public = dice.choice(PEOPLE), dice.random() < 0.7
        text = f"echo {self.name} {nick} {number}"
        self.said[text.removeprefix("echo ")] = time.monotonic()
        self.say(nick, text, is_public)
        if number % 5 == 0:
            self.asked[f"{nick} {number}"] = time.monotonic()
            self.say(nick, "who am I", is_public)

    def hear(self, owner, text, is_public):
        """Takes what the robot has said; in public, only one of the people counts it."""
        if is_public and owner != PEOPLE[0]:
            return
        if text in self.said:
            self.answers[text] += 1
            if not is_public and owner not in text.split():
                self.mixed.append(text)
        elif found := WHO.search(text):
            nick, shown, name = found.groups()
            nick = nick or owner
            self.told[nick.lower()] += 1
            # With "!", it is a user who isn't logged in.
            own = {f"{self.name}:{nick.lower()}", f"{self.name}:!{nick.lower()}", f"{self.name}:{nick.lower()}@{DOMAIN}",
                   f"{self.name}:{ROOM}/{nick.lower()}"}
            if shown.lower() != nick.lower() or name.lower() not in own or (not is_public and nick.lower() != owner):
                self.mixed.append(text)

    def see(self, nick, is_here):
        if nick == ROBOT:
            if is_here and not self.is_here:
                self.returns.append(time.monotonic())
            self.is_here = is_here

    def is_near_cut(self, moment):
        """Whether the robot may have been away, or may not have been able to answer."""
        for cut in self.proxy.cut_times:
            back = next((again for again in self.returns if again > cut), float("inf"))
            if cut - 1.5 < moment < back + 1:
                return True
        return False

    def report(self):
        missing = [text for text in self.said if not self.answers[text]]
        doubled = [text for text, count in self.answers.items() if count > 1]
        wrong = [text for text in missing if self.is_complete or not self.is_near_cut(self.said[text])]
        asked = collections.Counter(key.split()[0] for key in self.asked)
        extra = {nick: count - asked[nick] for nick, count in self.told.items() if count > asked[nick]}
        print(f"{self.name}: {len(self.said)} commands, {self.proxy.cuts} cuts: unanswered {len(wrong)} {wrong[:6]} and, "
              f"near a cut, {len(missing) - len(wrong)}, doubled {len(doubled)} {doubled[:6]}; who am I "
              f"{sum(asked.values())}, answered {sum(self.told.values())}, too often {extra}, mixed up {self.mixed[:4]}")
        return not wrong and not doubled and not self.mixed and not extra


class IRCNetwork(Network):
    async def enter(self, port):
        for nick in PEOPLE:
            def heard(source, target, text, nick=nick):
                if source == ROBOT:
                    self.hear(nick, text, target == CHANNEL)
            see = self.see if nick == PEOPLE[0] else lambda *_: None
            self.people[nick] = await IRCPerson(port, nick, CHANNEL, heard, see).connect()

    def say(self, nick, text, is_public):
        self.people[nick].say(CHANNEL if is_public else ROBOT, f"{ROBOT}: {text}" if is_public else text)


class XMPPNetwork(Network):
    async def enter(self, port):
        for nick in PEOPLE:
            def heard(message, nick=nick):
                sender = message.get("from", "")
                if sender == f"{ROOM}/{ROBOT}" or sender.startswith(f"{ROBOT}@{DOMAIN}"):
                    self.hear(nick, body(message), sender.startswith(ROOM))
            self.people[nick] = await XMPPPerson(port, nick, ROOM, nick.capitalize(), heard, self.see_presence).connect()

    def see_presence(self, presence):
        if presence.get("from") == f"{ROOM}/{ROBOT}":
            self.see(ROBOT, presence.get("type") != "unavailable")

    def say(self, nick, text, is_public):
        name = f"{nick}-{len(self.said)}-{len(self.asked)}"
        person = self.people[nick]
        person.say(f"{ROBOT}: {text}", name) if is_public else person.tell(f"{ROBOT}@{DOMAIN}", text, name)


async def cut_at_random(network, dice, mean):
    while True:
        await asyncio.sleep(dice.expovariate(1 / mean))
        network.proxy.cut()


async def run(options, folder):
    dice = random.Random(options.seed)
    servers = [processes.ngircd(folder), processes.inspircd(folder), processes.prosody(folder, (ROBOT, *PEOPLE))]
    for server in servers:
        await server.start()
    full = await FullServer().start()
    ports = [servers[0].port, servers[1].port, full.port, servers[2].port]
    proxies = [await Proxy(port, seed=options.seed).start() for port in ports]
    networks = [IRCNetwork("ng", proxies[0], False), IRCNetwork("insp", proxies[1], False),
                IRCNetwork("full", proxies[2], True), XMPPNetwork("xmpp", proxies[3], True)]
    settings = processes.xmpp_settings(proxies[3].port, ROOM) | {
        "HEYBOT_ADAPTER": "irc,xmpp", "HEYBOT_IRC_NETWORKS": "ng,insp,full",
        "HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_TRUST_NICKS": "true"}
    for network in networks[:3]:
        own = {"SERVER": f"{processes.HOST}:{network.proxy.port}", "ROOMS": CHANNEL}
        settings |= {f"HEYBOT_IRC_{network.name.upper()}_{key}": value for key, value in own.items()}
    robot = processes.Robot(options.robot, processes.made(folder, "robot"), settings)
    tasks = []
    try:
        for network, port in zip(networks, ports):
            await network.enter(port)
        robot.start()
        for network in networks:
            await until(lambda: network.is_here, f"robot on {network.name}")
        await asyncio.sleep(2)
        tasks = [asyncio.create_task(cut_at_random(network, random.Random(f"{options.seed} {network.name}"), options.cut))
                 for network in networks]
        seconds, first = options.minutes * 60, None
        start = time.monotonic()
        for number in range(options.commands):
            networks[number % 4].command(dice, number)
            await asyncio.sleep(max(0, start + seconds * (number + 1) / options.commands - time.monotonic()))
            if first is None and time.monotonic() - start > seconds / 10:
                first = robot.memory()
        for task in tasks:
            task.cancel()
        await asyncio.sleep(options.rest)
        last = robot.memory()
        print(f"{options.minutes:g} minutes: {first:.1f} MB after a tenth, {last:.1f} MB at the end")
        return all([network.report() for network in networks])
    finally:
        for task in tasks:
            task.cancel()
        await robot.end(signal.SIGINT)
        for server in servers:
            await server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    for name, kind, value, text in (("commands", int, 2000, "number of commands"), ("seed", int, 1, "seed"),
                                    ("minutes", float, 10, "duration in minutes"),
                                    ("cut", float, 15, "mean number of seconds between two cuts of a network"),
                                    ("rest", float, 15, "seconds to wait at the end")):
        parser.add_argument(f"--{name}", type=kind, default=value, help=f"{text}: %(default)s")
    options = parser.parse_args()
    with processes.scratch() as folder:
        sys.exit(0 if asyncio.run(run(options, folder)) else 1)


if __name__ == "__main__":
    main()
