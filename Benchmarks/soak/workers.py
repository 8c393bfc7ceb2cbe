#!/usr/bin/env python3
"""Talks to a robot on IRC whose scripts run in a worker, while the worker is replaced or killed.

  workers.py --robot .build/release/heybot --swaps 200
  workers.py --robot .build/release/heybot --kills 50

Each command must be answered exactly once, the commands of a person in order, and the connection must stand.
"""
import argparse, pathlib, random, signal, socket, sys, time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import processes
from irc_server import NICK, ROOM, Connection, spoken

PEOPLE = [f"user{number}!~u{number}@host-{number}.example.net" for number in range(500)]


class Dialogue(Connection):
    """Remembers when each command was sent and answered."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sent, self.answers, self.order = {}, {}, []

    def command(self, number):
        self.sent[number] = time.monotonic()
        self.send(spoken(PEOPLE[number % len(PEOPLE)], f"{NICK}: echo number {number}"))

    def take_privmsg(self, command, target="", text="", *words, now):
        words = text.split()
        if target == ROOM and len(words) == 2 and words[0] == "number" and words[1].isdecimal():
            self.answers.setdefault(int(words[1]), []).append(now)
            self.order.append(int(words[1]))
        else:
            super().take_privmsg(command, target, text, *words, now=now)


def worker(robot):
    """Returns the id of the newest child process."""
    children = pathlib.Path(f"/proc/{robot.process.pid}/task").glob("*/children")
    found = [int(pid) for path in children for pid in path.read_text().split()]
    return max(found, default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    for name, number, text in (("commands", 10_000, "number of commands"), ("swaps", 0, "number of swaps"),
                               ("kills", 0, "number of workers to kill"), ("seed", 1, "seed of the times")):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"{text}: %(default)s")
    parser.add_argument("--interval", type=float, default=0.02, help="seconds between commands: %(default)s")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    moments = dice.sample(range(options.commands // 100, options.commands), options.swaps + options.kills)
    swaps, kills = set(moments[:options.swaps]), set(moments[options.swaps:])
    with processes.scratch() as folder, socket.create_server((processes.HOST, 0)) as listener:
        listener.settimeout(60)
        settings = {"HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": processes.HOST, "HEYBOT_IRC_ROOMS": ROOM,
                    "HEYBOT_IRC_PORT": str(listener.getsockname()[1]), "HEYBOT_IRC_USESSL": "false",
                    "HEYBOT_IRC_UNFLOOD": "0", "HEYBOT_SINGLE": "false", "HEYBOT_NAME": NICK}
        robot = processes.Robot(options.robot, processes.made(folder, "robot"), settings)
        robot.name = "the robot"
        robot.start()
        try:
            dialogue = Dialogue(robot, robot.process, listener.accept()[0])
            dialogue.expect(lambda: dialogue.joined_at, 60, "join")
            start = time.monotonic()
            for number in range(options.commands):
                if number in swaps:
                    robot.process.send_signal(signal.SIGHUP)
                if number in kills and (pid := worker(robot)):
                    processes.os.kill(pid, signal.SIGKILL)
                dialogue.command(number)
                dialogue.pump(lambda: False, max(start + number * options.interval - time.monotonic(), 0))
            dialogue.pump(lambda: len(dialogue.answers) == options.commands, 60)
            dialogue.rest(2)
            memory = [robot.memory()] + [processes.resident(pid) for pid in [worker(robot)] if pid]
        finally:
            robot.process.send_signal(signal.SIGTERM)
            robot.process.wait(60)
    unanswered = [number for number in range(options.commands) if number not in dialogue.answers]
    doubled = [number for number, times in dialogue.answers.items() if len(times) > 1]
    places = {}
    for place, number in enumerate(dialogue.order):
        places.setdefault(number, place)
    late = [number for number in dialogue.answers if places.get(number - len(PEOPLE), -1) > places[number]]
    waits = sorted(times[0] - dialogue.sent[number] for number, times in dialogue.answers.items())
    print(f"{options.commands} commands, {options.swaps} swaps, {options.kills} kills, "
          f"{robot.logged('the new worker')} new workers: unanswered {len(unanswered)} {unanswered[:8]}, doubled "
          f"{len(doubled)} {doubled[:8]}, out of order {len(late)}")
    print("  seconds until the answer: "
          + ", ".join(f"{name} {waits[min(int(len(waits) * part), len(waits) - 1)]:.4f}"
                      for name, part in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("longest", 1)))
          + "; memory in MB: " + ", ".join(f"{size:.1f}" for size in memory))
    sys.exit(1 if unanswered or doubled or late else 0)


if __name__ == "__main__":
    main()
