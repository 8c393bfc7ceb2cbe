#!/usr/bin/env python3
"""Measures how the robot recovers from a Hubot script that hangs, ends or exhausts the Node process.

  hubot-faults.py --heybot 'heybot -a irc -n marvin -d' [--rounds 3]

A robot on an IRC server on loopback runs the scripts in hubot/scripts and hubot/faults. In each round, each of the faults happens
once. While it lasts, a command in Swift is sent every 100 ms: the table has the longest time until one was answered. Once the log says
that the process was killed or has ended, `marvin: ping`, a command of a Hubot script, is sent every 50 ms: the table has the
time from the log line to its first answer. The figures are medians over the rounds, and the longest in parentheses.
"""
import argparse, contextlib, importlib, pathlib, re, shlex, statistics, sys, tempfile, time, types

sys.dont_write_bytecode = True
from irc_server import NICK, PEOPLE, Failure, spoken

flood = importlib.import_module("irc-flood")
HERE = pathlib.Path(__file__).resolve().parent
SWIFT = "echo swift"
# Whether the process ends.
FAULTS = {"spin": True, "allocate": True, "kill from a shell": True, "kill itself": False, "abort": False, "exit": False, "kill the parent": False,
          "throw in a timer": False, "reject unhandled": False}
ENDED = re.compile(rb"process (?:stopped responding|ended)")
CULPRIT = re.compile(rb"faults\.js")


def recover(connection, fault, ends):
    """Returns the longest time of a command in Swift, the time from the end of the process to the next answer, and whether the
    log names the script."""
    bot, before = connection.bot, connection.bot.log.stat().st_size
    longest, asked, ended, said = 0.0, None, None, connection.said
    next_swift = next_ping = start = time.monotonic()
    connection.step = f"recover from “{fault}”"
    connection.send(spoken(PEOPLE[1], f"{NICK}: {fault}"))
    while True:
        now = time.monotonic()
        if now > start + 60:
            raise Failure(bot, f"doesn't {connection.step} within 60 s")
        if asked is not None and "swift" in connection.others:
            longest, asked = max(longest, now - asked), None
            connection.others.clear()
        if asked is None and now >= next_swift:
            asked, next_swift = now, now + 0.1
            connection.send(spoken(PEOPLE[0], f"{NICK}: {SWIFT}"))
        if ended is None and (not ends and now > start + 0.5 or ends and ENDED.search(bot.log.read_bytes()[before:])):
            ended, said = now, connection.said
        if ended is not None and now >= next_ping:
            next_ping = now + 0.05
            connection.send(spoken(PEOPLE[2], f"{NICK}: ping"))
        if ended is not None and connection.said > said:
            back = connection.said_at - ended
            break
        connection.pump(lambda: connection.said > said or "swift" in connection.others, 0.01)
    # What was asked meanwhile is answered.
    connection.rest(0.5)
    connection.others.clear()
    return longest, back, bool(CULPRIT.search(bot.log.read_bytes()[before:]))


@contextlib.contextmanager
def logging_failures():
    """Prints the end of the log of a bot that fails, before the log is removed."""
    try:
        yield
    except Failure as failure:
        sys.exit(f"hubot-faults: {failure}\n{failure.bot.log.read_text(errors='replace')[-3000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heybot", required=True, help="the robot's command")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    command = [*shlex.split(arguments.heybot), "-r", str(HERE / "hubot/scripts"), "-r", str(HERE / "hubot/faults")]
    results = {fault: [] for fault in FAULTS}
    with tempfile.TemporaryDirectory() as folder, logging_failures():
        for _ in range(arguments.rounds):
            # A robot of its own for each round: after three faults in ten minutes, a script is left out.
            for fault, ends in FAULTS.items():
                with flood.running(flood.Bot("Heybot", command), types.SimpleNamespace(folder=folder)) as connection:
                    connection.ask_first()
                    connection.rest(0.3)
                    results[fault].append(recover(connection, fault, ends))
    print("| fault of a Hubot script | longest time of a command in Swift, ms | from the end of the process to the next answer, ms |"
          " rounds in which the log names the script |")
    print("|---|---:|---:|---:|")
    for fault, ends in FAULTS.items():
        swift, back, named = zip(*results[fault])
        cell = lambda values: f"{statistics.median(values) * 1000:.0f} ({max(values) * 1000:.0f})"
        print(f"| {fault} | {cell(swift)} | {cell(back) if ends else 'goes on'} | {sum(named)} of {len(named)} |")


if __name__ == "__main__":
    main()
