#!/usr/bin/env python3
"""Sends a robot on IRC millions of lines, and drops its connection again and again.

  irc-drops.py --robot .build/release/heybot

The resident memory at the end must be within 1 MB of that after the first tenth of the lines.
"""
import argparse, pathlib, random, signal, socket, struct, sys, time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import processes
from irc_server import ASK, NICK, PEOPLE, ROOM, Connection, spoken

WORDS = "the build is green again after we moved that job to another host so lunch in ten minutes anyone café".split()


def chatter(seed, count):
    dice = random.Random(seed)
    return b"".join(spoken(dice.choice(PEOPLE), " ".join(dice.choices(WORDS, k=dice.randint(3, 16))))
                    for _ in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    parser.add_argument("--lines", type=int, default=10_000_000, help="number of lines: %(default)s")
    parser.add_argument("--drops", type=int, default=500, help="number of drops: %(default)s")
    options = parser.parse_args()
    each, marks, start = options.lines // options.drops, {}, time.monotonic()
    with processes.scratch() as folder, socket.create_server((processes.HOST, 0)) as listener:
        listener.settimeout(60)
        settings = {"HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": processes.HOST, "HEYBOT_IRC_ROOMS": ROOM,
                    "HEYBOT_IRC_PORT": str(listener.getsockname()[1]), "HEYBOT_IRC_USESSL": "false"}
        robot = processes.Robot(options.robot, processes.made(folder, "robot"), settings)
        robot.name = "the robot"
        robot.start()
        try:
            for number in range(1, options.drops + 1):
                connection = Connection(robot, robot.process, listener.accept()[0])
                connection.expect(lambda: connection.joined_at, 60, "join")
                text = chatter(number, each - 1)
                for at in range(0, len(text), 1 << 18):  # Cut within lines.
                    connection.send(text[at:at + (1 << 18)])
                    connection.expect(lambda: not connection.outgoing, 60, "read the lines")
                connection.ask(within=60)
                if number in (max(options.drops // 10, 1), options.drops):
                    marks[number] = robot.memory()
                    print(f"{number * each:,} lines, {number} drops, {time.monotonic() - start:.0f} s: "
                          f"{marks[number]:.1f} MB", flush=True)
                if number % 2:  # Every other connection is reset, in the middle of a line.
                    connection.send(spoken(PEOPLE[0], ASK)[:-9])
                    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sock.close()
        finally:
            robot.process.send_signal(signal.SIGINT)
            robot.process.wait(20)
    grown = max(marks.values()) - min(marks.values()) if marks[max(marks)] > marks[min(marks)] else 0
    sys.exit(0 if grown <= 1 else f"the memory has grown by {grown:.1f} MB")


if __name__ == "__main__":
    main()
