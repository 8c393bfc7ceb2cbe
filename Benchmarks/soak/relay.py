#!/usr/bin/env python3
"""Has two robots relay an IRC channel and an XMPP room, while people talk in both.

  relay.py --robot .build/release/heybot --server inspircd

The servers are an ngircd or an inspircd, and a Prosody. Each robot must show each line once on the other side, and those of a
person in order. No line may come back to the side on which it was said. Prints counts and delays.
"""
import argparse, asyncio, collections, re, signal, sys, time

sys.dont_write_bytecode = True
import processes
from irc_person import IRCPerson
from processes import CONFERENCE, DOMAIN, ROBOT, until
from xmpp_person import XMPPPerson, body

CHANNEL, ROOM, ROBOTS = "#soak", f"soak@{CONFERENCE}", (ROBOT, "vera")
# The first one of each side counts what arrives there; Ada is the robots' admin.
PEOPLE = {"irc": ("bob", "dave"), "xmpp": ("ada", "carol")}
OTHER = {"irc": "xmpp", "xmpp": "irc"}
# A robot marks the name of the author, but not the text. While lines wait, several share a message.
LINE = re.compile(r"\b([a-z]+)-(\d+)\b")


class Traffic:
    """What was said on each side, and what the robots have shown on the other one."""

    def __init__(self):
        self.said = {side: {} for side in PEOPLE}
        self.arrived = {(robot, side): collections.defaultdict(list) for robot in ROBOTS for side in PEOPLE}
        self.order = collections.defaultdict(list)
        self.returned, self.here, self.announced = [], set(), set()

    def say(self, side, person, number):
        """Returns the next line of a person."""
        line = f"{person}-{number}"
        self.said[side][line] = time.monotonic()
        return f"{line} the build is green again"

    def hear(self, robot, side, text):
        """Takes what a robot has said on a side."""
        if robot not in ROBOTS:
            return
        if text.startswith("From now on I relay"):
            self.announced.add((robot, side))
        for person, number in LINE.findall(text):
            line = f"{person}-{number}"
            if line in self.said[side]:
                self.returned.append((robot, line))
            elif line in self.said[OTHER[side]]:
                times = self.arrived[robot, side][line]
                if not times:
                    self.order[robot, side, person].append(int(number))
                times.append(time.monotonic())

    def see(self, name, side):
        if name in ROBOTS:
            self.here.add((name, side))

    def count(self):
        return sum(len(lines) for lines in self.arrived.values())

    def is_complete(self):
        return self.count() == len(ROBOTS) * sum(len(lines) for lines in self.said.values())

    def misplaced(self, robot, side):
        """Counts the lines that came after a later line of the same person."""
        count = 0
        for person in PEOPLE[OTHER[side]]:
            last = -1
            for number in self.order[robot, side, person]:
                count += number < last
                last = max(last, number)
        return count

    def report(self):
        """Prints the result; returns whether each line came as it should."""
        is_good = not self.returned
        for (robot, side), lines in self.arrived.items():
            said = self.said[OTHER[side]]
            missing = [line for line in said if line not in lines]
            doubled = [line for line, times in lines.items() if len(times) > 1]
            misplaced = self.misplaced(robot, side)
            delays = sorted(times[0] - said[line] for line, times in lines.items()) or [0]
            median, late = delays[len(delays) // 2], delays[len(delays) * 99 // 100]
            print(f"{robot} to {side}: {len(lines)} of {len(said)} lines: missing {len(missing)} {missing[:6]}, doubled "
                  f"{len(doubled)} {doubled[:6]}, out of order {misplaced}; delay {median * 1000:.0f} ms, for 1% more than "
                  f"{late * 1000:.0f} ms, at most {delays[-1] * 1000:.0f} ms")
            is_good = is_good and not missing and not doubled and not misplaced
        print(f"lines that came back: {len(self.returned)} {self.returned[:6]}")
        return is_good


async def enter(traffic, irc_port, xmpp_port):
    """Returns the people by their names, who have joined the channel or the room."""
    people = {}
    for number, nick in enumerate(PEOPLE["irc"]):
        def heard(source, target, text, counts=number == 0):
            if counts and target == CHANNEL:
                traffic.hear(source, "irc", text)

        def seen(name, is_here):
            if is_here:
                traffic.see(name, "irc")
        people[nick] = await IRCPerson(irc_port, nick, CHANNEL, heard, seen).connect()
    for number, name in enumerate(PEOPLE["xmpp"]):
        def heard_stanza(message, counts=number == 0):
            room, _, nick = message.get("from", "").partition("/")
            if counts and room == ROOM:
                traffic.hear(nick, "xmpp", body(message))

        def seen_presence(presence):
            room, _, nick = presence.get("from", "").partition("/")
            if room == ROOM and presence.get("type") is None:
                traffic.see(nick, "xmpp")
        people[name] = await XMPPPerson(
            xmpp_port, name, ROOM, name.capitalize(), heard_stanza, seen_presence).connect()
    return people


def settings(robot, irc_port, xmpp_port):
    return processes.xmpp_settings(xmpp_port, ROOM) | {
        "HEYBOT_NAME": robot, "HEYBOT_ADAPTER": "irc,xmpp", "HEYBOT_XMPP_USERNAME": f"{robot}@{DOMAIN}/soak",
        "HEYBOT_IRC_SERVER": f"{processes.HOST}:{irc_port}", "HEYBOT_IRC_ROOMS": CHANNEL,
        "HEYBOT_IRC_USESSL": "false", "HEYBOT_AUTH_ADMIN": f"xmpp:ada@{DOMAIN}"}


async def talk(traffic, people, options):
    """Says lines on both sides, each person in turn."""
    count, start = round(options.minutes * options.rate), time.monotonic()
    for number in range(count):
        for side, names in PEOPLE.items():
            name = names[number % len(names)]
            text = traffic.say(side, name, number)
            if side == "irc":
                people[name].say(CHANNEL, text)
            else:
                people[name].say(text, f"{name}-{number}")
        await asyncio.sleep(max(0, start + (number + 1) * 60 / options.rate - time.monotonic()))


async def rest(traffic, within):
    """Waits until everything has arrived, or nothing has for some seconds; and then a little for what comes twice."""
    last, end = traffic.count(), time.monotonic() + within
    while not traffic.is_complete() and time.monotonic() < end:
        await asyncio.sleep(0.1)
        if traffic.count() > last:
            last, end = traffic.count(), time.monotonic() + within
    await asyncio.sleep(3)


async def run(options, folder):
    irc = getattr(processes, options.server)(folder)
    xmpp = processes.prosody(folder, (*ROBOTS, *PEOPLE["xmpp"]))
    traffic, robots = Traffic(), {}
    try:
        for server in (irc, xmpp):
            await server.start()
        people = await enter(traffic, irc.port, xmpp.port)
        for name in ROBOTS:
            robots[name] = processes.Robot(
                options.robot, processes.made(folder, name), settings(name, irc.port, xmpp.port))
            robots[name].start()
        await until(lambda: len(traffic.here) == len(ROBOTS) * len(PEOPLE), "robots in both rooms")
        for name in ROBOTS:
            people["ada"].tell(f"{name}@{DOMAIN}", f"relay irc:{CHANNEL} with xmpp:{ROOM}", f"relay by {name}")
            await until(lambda: {(name, side) for side in PEOPLE} <= traffic.announced, f"relay by {name}")
        # A relay begins right after its announcement.
        await asyncio.sleep(2)
        await talk(traffic, people, options)
        await rest(traffic, options.rest)
        memory = ", ".join(f"{name} {robot.memory():.1f} MB" for name, robot in robots.items())
        print(f"{options.server}, {options.minutes:g} minutes, {options.rate} lines a minute each way; memory: {memory}")
        return traffic.report()
    finally:
        for robot in robots.values():
            await robot.end(signal.SIGINT)
        for server in (irc, xmpp):
            await server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    parser.add_argument("--server", choices=("ngircd", "inspircd"), default="ngircd", help="the IRC server: %(default)s")
    for name, kind, value, text in (("minutes", float, 2, "duration in minutes"),
                                    ("rate", int, 1000, "lines a minute each way"),
                                    ("rest", float, 30, "seconds without an arrival after which to stop waiting")):
        parser.add_argument(f"--{name}", type=kind, default=value, help=f"{text}: %(default)s")
    options = parser.parse_args()
    with processes.scratch() as folder:
        sys.exit(0 if asyncio.run(run(options, folder)) else 1)


if __name__ == "__main__":
    main()
