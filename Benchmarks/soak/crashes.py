#!/usr/bin/env python3
"""Talks to a robot whose scripts run in a worker, and crash it in six ways, ten times each.

  crashes.py --robot .build/debug/crashing-robot --network irc
  crashes.py --robot .build/debug/crashing-robot --network xmpp

The connection must stand, every other command must be answered exactly once, the user of each crash must be told, and the log
must name the script.
"""
import argparse, asyncio, contextlib, pathlib, random, re, signal, socket, sys, time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import processes
from cutting_proxy import Proxy
from dialogue import PEOPLE, ROOM, Dialogue
from irc_server import NICK, ROOM as CHANNEL, spoken
from workers import Dialogue as IRCDialogue
from xmpp_person import XMPPPerson, body

# An endless loop ends no process: the robot leaves its closure behind.
FAULTS = ("Index", "Unwrap", "Overflow", "Fatal", "Signal", "Loop")
SETTINGS = {"HEYBOT_SINGLE": "false", "HEYBOT_DEADLINE": "5", "SWIFT_BACKTRACE": "enable=no"}
TOLD = re.compile(r"Sorry, that made me crash \((\w+)\)")


def faults(options, dice):
    """Returns the scripts that crash, by the number of the command before: each twice, since a third crash disables it."""
    scripts = [f"{fault}Fault{1 + number // 2}" for fault in FAULTS for number in range(options.times)]
    dice.shuffle(scripts)
    places = sorted(dice.sample(range(options.commands), len(scripts)))
    return dict(zip(places, scripts))


def ending(crashes):
    """Returns the number of crashes that end a worker."""
    return sum(not script.startswith("Loop") for script in crashes.values())


def told(texts):
    """Returns the scripts of whose crash users were told."""
    return [match[1] for text in texts if (match := TOLD.search(text))]


def irc(options, folder, crashes):
    with socket.create_server((processes.HOST, 0)) as listener:
        listener.settimeout(60)
        settings = {"HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": processes.HOST, "HEYBOT_IRC_ROOMS": CHANNEL,
                    "HEYBOT_IRC_PORT": str(listener.getsockname()[1]), "HEYBOT_IRC_USESSL": "false",
                    "HEYBOT_IRC_UNFLOOD": "0", "HEYBOT_NAME": NICK}
        robot = processes.Robot(options.robot, processes.made(folder, "robot"), settings | SETTINGS)
        robot.name = "the robot"
        robot.start()
        try:
            dialogue = IRCDialogue(robot, robot.process, listener.accept()[0])
            dialogue.expect(lambda: dialogue.joined_at, 60, "join")
            start = time.monotonic()
            for number in range(options.commands):
                dialogue.command(number)
                if number in crashes:
                    # Of each user one message after the other is handled.
                    user = f"culprit{number}!~c@host-{number}.example.net"
                    dialogue.send(spoken(user, f"{NICK}: {crashes[number].lower()}"))
                dialogue.pump(lambda: False, max(start + number * options.interval - time.monotonic(), 0))
            dialogue.pump(lambda: len(dialogue.answers) == options.commands, 60)
            dialogue.pump(lambda: len(told(dialogue.others)) == ending(crashes), 60)
            dialogue.rest(2)
        finally:
            robot.process.send_signal(signal.SIGTERM)
            robot.process.wait(60)
    # It would have ended with an error if the robot had left.
    counts = [len(dialogue.answers.get(number, ())) for number in range(options.commands)]
    waits = [times[0] - dialogue.sent[number] for number, times in dialogue.answers.items()]
    return robot, counts, waits, dialogue.others, 0


async def xmpp(options, folder, crashes):
    culprits = [f"culprit{number}" for number in range(10)]
    server = getattr(processes, options.server)(folder, (*PEOPLE, *culprits))
    await server.start()
    proxy = await Proxy(server.port).start()
    settings = processes.xmpp_settings(proxy.port, ROOM) | SETTINGS
    robot = processes.Robot(options.robot, processes.made(folder, "robot"), settings)
    robot.start()
    dialogue = Dialogue(server.port, proxy)
    said, waits = [], {}

    def hear(message):
        if dialogue.is_answer(message):
            said.append(body(message))
            if body(message) in dialogue.sent:
                waits.setdefault(body(message), time.monotonic() - dialogue.sent[body(message)])
        dialogue.hear(message)
    dialogue.ada.heard = hear
    try:
        await dialogue.enter()
        people = [await XMPPPerson(server.port, name, ROOM, name).connect() for name in culprits]
        for number in range(options.commands):
            dialogue.command(number)
            if number in crashes:
                # Of each user one message after the other is handled, and an endless loop takes 5 s.
                people.append(people.pop(0))
                people[-1].say(f"{processes.ROBOT}: {crashes[number].lower()}", f"x{number}")
            await asyncio.sleep(options.interval)
        with contextlib.suppress(processes.Failure):
            await processes.until(lambda: len(told(said)) == ending(crashes), "answer to each crash")
        await dialogue.rest()
        # At its end, the robot leaves.
        departures = dialogue.departures + robot.logged("reconnecting")
    finally:
        await robot.end(signal.SIGINT)
        await server.end()
    counts = [len(dialogue.answers[text]) for text in dialogue.sent]
    return robot, counts, list(waits.values()), said, departures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="Tests/CrashingRobot, built")
    parser.add_argument("--network", choices=("irc", "xmpp"), default="irc")
    parser.add_argument("--server", choices=("prosody", "ejabberd"), default="prosody", help="the server for XMPP")
    for name, number, text in (("commands", 1000, "number of commands"), ("times", 10, "crashes of each kind, up to 10"),
                               ("seed", 1, "seed of the times")):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"{text}: %(default)s")
    parser.add_argument("--interval", type=float, default=0.2, help="seconds between commands: %(default)s")
    options = parser.parse_args()
    if not 0 <= options.times <= 10 or options.commands < 2 * len(FAULTS) * options.times:
        parser.error("each fault can happen up to 10 times, and needs two commands each time")
    crashes = faults(options, random.Random(options.seed))
    with processes.scratch() as folder:
        if options.network == "irc":
            robot, counts, waits, said, departures = irc(options, folder, crashes)
        else:
            robot, counts, waits, said, departures = asyncio.run(xmpp(options, folder, crashes))
        log = robot.log.read_text(errors="replace")
    unanswered = [number for number, count in enumerate(counts) if count == 0]
    doubled = [number for number, count in enumerate(counts) if count > 1]
    answered = told(said)
    named = [line for line in log.splitlines() if "a worker was ended by" in line and re.search(r"script=\w+Fault", line)]
    print(f"{options.network}, {len(counts)} commands, {len(crashes)} crashes: unanswered {len(unanswered)} "
          f"{unanswered[:8]}, doubled {len(doubled)} {doubled[:8]}, departures and new connections {departures}")
    print(f"  of {ending(crashes)} crashes that end a worker, {len(answered)} users were told, and the log names the script of "
          f"{len(named)}; longest wait {max(waits, default=0):.2f} s")
    is_good = len(answered) == len(named) == ending(crashes)
    sys.exit(0 if is_good and not unanswered and not doubled and not departures else 1)


if __name__ == "__main__":
    main()
