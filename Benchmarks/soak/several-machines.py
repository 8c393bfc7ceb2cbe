#!/usr/bin/env python3
"""Talks in many IRC rooms to a robot whose gateways and workers are linked by a Redis, while all of them are disturbed.

  several-machines.py --robot .build/release/heybot --kills 60 --stops 20 --gateways 10 --redis 10
  several-machines.py --robot .build/release/crashing-robot --crashes 10 --kills 20
  several-machines.py --robot .build/release/crashing-robot --workers 2 --at-once nap

Each command must be answered exactly once, and those of a room in order. With --crashes, messages crash the script that
handles them; a worker that has ended by itself is started again, and the user of each such message must be told. The Redis has an append-only file that is written at
each command. Before a gateway ends, what was said must have reached it, because IRC has no memory.
"""
import argparse, asyncio, os, pathlib, random, re, signal, socket, sys, time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import processes
from irc_server import NICK, SERVER, Connection

# Scripts of crashing-robot that crash when they are called.
FAULTS = [f"{fault}Fault{number}" for number in (1, 2, 3, 4) for fault in ("Index", "Unwrap", "Fatal", "Signal", "Overflow")]
TOLD = re.compile(r"Sorry, that made me crash \((\w+)\)")


class Rooms(Connection):
    """A connection to many rooms; what was said survives it in `talk`."""

    def __init__(self, robot, sock, talk):
        super().__init__(robot, robot.process, sock)
        self.talk, self.joined = talk, set()

    def take_join(self, command, rooms="", *words, now):
        for room in rooms.split(","):
            self.send(f":{self.nick}!{NICK}@localhost JOIN {room}\r\n".encode())
            self.tell(f"353 {self.nick} = {room} :{self.nick} user", f"366 {self.nick} {room} :End of /NAMES list.")
            self.joined.add(room)

    def take_who(self, command, mask="", *words, now):
        self.tell(f"352 {self.nick} {mask} ~u host {SERVER} user H :0 user", f"315 {self.nick} {mask} :End of /WHO list.")

    def take_privmsg(self, command, target="", text="", *words, now):
        words = text.split()
        if len(words) == 2 and words[0] == "number" and words[1].isdecimal():
            self.talk.heard(int(words[1]), target, now)
        else:
            self.others.append(text)
            self.talk.told += TOLD.findall(text)


class Talk:
    def __init__(self, rooms):
        self.rooms, self.sent, self.answers, self.order, self.wrong = rooms, {}, {}, {}, 0
        # The scripts of which messages were sent, and of whose crash users were told.
        self.crashed, self.told = [], []

    def command(self, connection, number):
        self.sent[number] = time.monotonic()
        room = f"#r{number % self.rooms}"
        # A person in each room: the commands of one person that wait are limited, and only theirs keep their order.
        user = f"user{number % self.rooms}!~u@host-{number % self.rooms}"
        connection.send(f":{user}.example.net PRIVMSG {room} :{NICK}: echo number {number}\r\n".encode())

    def crash(self, connection, number):
        script = FAULTS[len(self.crashed)]
        self.crashed.append(script)
        # Of each user one message after the other is handled.
        connection.send(f":culprit{number}!~c@host PRIVMSG #r{number % self.rooms} :{NICK}: {script.lower()}\r\n".encode())

    def heard(self, number, room, now):
        self.answers.setdefault(number, []).append(now)
        self.order.setdefault(room, []).append(number)
        self.wrong += room != f"#r{number % self.rooms}"

    def untold(self):
        return [script for script in self.crashed if script not in self.told]

    def missing(self):
        return [number for number in self.sent if number not in self.answers]


def seconds(processes_):
    """Returns the processor time of processes."""
    def one(pid):
        return sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return [one(process.process.pid) / os.sysconf("SC_CLK_TCK") for process in processes_]


def measure(options, folder, listener, database):
    """Measures single commands, and commands that come all at once."""
    cluster, conversation = Cluster(options, folder, listener, database), Talk(options.rooms)
    gateway = cluster.start("gateway")
    connection = cluster.connected(gateway, conversation)
    members = [gateway, *(cluster.start("worker") for _ in range(options.workers)), database]
    try:
        connection.rest(5)
        names = ["gateway"] + ["worker"] * options.workers + ["redis"]
        rest = [member.memory() for member in members]
        for word, count, lone in (("echo", 300, True), (options.at_once, options.commands, False)):
            before, start, first = seconds(members), time.monotonic(), len(conversation.sent)
            lines = []
            for number in range(first, first + count):
                conversation.sent[number] = time.monotonic()
                line = f":user{number}!~u{number}@host-{number}.example.net PRIVMSG #r{number % options.rooms} :{NICK}: {word} number {number}\r\n".encode()
                if lone:
                    connection.send(line)
                    connection.expect(lambda: number in conversation.answers, 60, "answer")
                    connection.rest(0.005)
                else:
                    lines.append(line)
            connection.send(b"".join(lines))
            connection.expect(lambda: not conversation.missing(), 600, "answer")
            elapsed, spent = time.monotonic() - start, [after - earlier for after, earlier in zip(seconds(members), before)]
            waits = sorted(conversation.answers[number][0] - conversation.sent[number] for number in range(first, first + count))
            print(f"{options.workers} workers, {word}, {count} {'one by one' if lone else 'at once'}: "
                  f"{count / elapsed:.0f} a second, p50 {waits[count // 2] * 1000:.2f} ms, microseconds of processor each: "
                  + ", ".join(f"{name} {time_ / count * 1e6:.0f}" for name, time_ in zip(names, spent)))
        print("  at rest in MB: " + ", ".join(f"{name} {size:.1f}" for name, size in zip(names, rest)))
    finally:
        for member in members[:-1]:
            member.process.kill()


def redis(folder, is_durable=True):
    """A Redis whose changes are on the disk, before it replies or within a second."""
    folder, port = processes.made(folder, "redis"), processes.free_port()
    return processes.Server(
        ["redis-server", "--port", str(port), "--bind", processes.HOST, "--dir", str(folder), "--save", "",
         "--appendonly", "yes", "--appendfsync", "always" if is_durable else "everysec"], folder, port)


class Cluster:
    def __init__(self, options, folder, listener, database):
        self.options, self.folder, self.listener, self.count = options, folder, listener, 0
        rooms = ",".join(f"#r{number}" for number in range(options.rooms))
        self.settings = {
            "HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": processes.HOST, "HEYBOT_IRC_ROOMS": rooms,
            "HEYBOT_IRC_PORT": str(listener.getsockname()[1]), "HEYBOT_IRC_USESSL": "false", "HEYBOT_NAME": NICK,
            "HEYBOT_REDIS_URL": f"redis://{processes.HOST}:{database.port}", "HEYBOT_LOG_LEVEL": "info",
            "SWIFT_BACKTRACE": "enable=no"}

    def start(self, role):
        self.count += 1
        robot = processes.Robot(self.options.robot, processes.made(self.folder, f"{role}-{self.count}"), self.settings)
        robot.words.append(role)
        robot.name = f"{role} {self.count}"
        robot.start()
        return robot

    def connected(self, gateway, talk):
        connection = Rooms(gateway, self.listener.accept()[0], talk)
        connection.expect(lambda: len(connection.joined) == self.options.rooms, 60, "join")
        return connection


def talk(options, folder, listener, database, loop):
    dice = random.Random(options.seed)
    cluster = Cluster(options, folder, listener, database)
    conversation = Talk(options.rooms)
    gateway = cluster.start("gateway")
    connection = cluster.connected(gateway, conversation)
    waiting = cluster.start("gateway")
    workers = [cluster.start("worker") for _ in range(options.workers)]
    events = [kind for kind in ("kills", "stops", "gateways", "redis", "crashes") for _ in range(getattr(options, kind))]
    moments = dict(zip(dice.sample(range(options.commands // 100, options.commands), len(events)), events))
    frozen, start, paused = [], time.monotonic(), 0

    def restart():
        """Starts workers again that have crashed, like a supervisor."""
        for worker in workers:
            if worker.process.poll() is not None:
                worker.start()

    try:
        for number in range(options.commands):
            event, now = moments.get(number), time.monotonic()
            for worker, end in list(frozen):
                if now >= end:
                    worker.process.send_signal(signal.SIGCONT)
                    frozen.remove((worker, end))
            restart()
            if event == "crashes":
                conversation.crash(connection, number)
            elif event == "kills":
                index = dice.randrange(len(workers))
                frozen = [pair for pair in frozen if pair[0] is not workers[index]]
                workers[index].process.kill()
                workers[index].process.wait()
                workers[index] = cluster.start("worker")
            elif event == "stops":
                worker = dice.choice(workers)
                if not any(worker is other for other, _ in frozen):
                    worker.process.send_signal(signal.SIGSTOP)
                    frozen.append((worker, now + 8))
            elif event == "redis":
                loop.run_until_complete(database.kill())
            elif event == "gateways":
                connection.send(f"PING :p{number}\r\n".encode())
                connection.expect(lambda: connection.pong == f"p{number}", 60, "answer a ping")
                gateway.process.send_signal(signal.SIGTERM)
                try:
                    connection.pump(lambda: False, 60)
                except Exception:
                    pass
                gateway.process.wait(60)
                gateway = waiting
                connection = cluster.connected(gateway, conversation)
                waiting = cluster.start("gateway")
                paused += time.monotonic() - now
            conversation.command(connection, number)
            connection.pump(lambda: False, max(start + paused + number * options.interval - time.monotonic(), 0))
        for worker, _ in frozen:
            worker.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 120
        while (conversation.missing() or conversation.untold()) and time.monotonic() < end:
            restart()
            connection.pump(lambda: False, 0.2)
        connection.rest(10)
        memory = [robot.memory() for robot in (gateway, *workers)]
    finally:
        for robot in (gateway, waiting, *workers):
            robot.process.kill()
    return conversation, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    for name, number, text in (
            ("commands", 20_000, "number of commands"), ("rooms", 200, "number of rooms"), ("workers", 3, "number of workers"),
            ("kills", 0, "number of workers to kill"), ("stops", 0, "number of workers to stop for 8 s"),
            ("crashes", 0, f"number of messages that crash a worker, up to {len(FAULTS)}"),
            ("gateways", 0, "number of gateways to end"), ("redis", 0, "number of times to kill the Redis"),
            ("seed", 1, "seed of the times")):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"{text}: %(default)s")
    parser.add_argument("--interval", type=float, default=0.01, help="seconds between commands: %(default)s")
    parser.add_argument("--at-once", help="measure that many commands of this name, sent at once")
    options = parser.parse_args()
    loop = asyncio.new_event_loop()
    with processes.scratch() as folder, socket.create_server((processes.HOST, 0)) as listener:
        listener.settimeout(60)
        database = redis(folder, is_durable=not options.at_once)
        loop.run_until_complete(database.start())
        try:
            if options.at_once:
                return measure(options, folder, listener, database)
            conversation, memory = talk(options, folder, listener, database, loop)
        finally:
            database.process.kill()
    unanswered, untold = conversation.missing(), conversation.untold()
    doubled = [number for number, times in conversation.answers.items() if len(times) > 1]
    late = sum(numbers != sorted(numbers) for numbers in conversation.order.values())
    waits = sorted(times[0] - conversation.sent[number] for number, times in conversation.answers.items())
    print(f"{options.commands} commands in {options.rooms} rooms, {options.workers} workers: {options.kills} killed, "
          f"{options.stops} stopped; {options.gateways} gateways ended, {options.redis} times Redis killed: unanswered "
          f"{len(unanswered)} {unanswered[:8]}, doubled {len(doubled)} {doubled[:8]}, rooms out of order {late}, in "
          f"another room {conversation.wrong}"
          + (f"; {options.crashes} crashed, users not told of {untold}, told {len(conversation.told)} times" if options.crashes else ""))
    print("  seconds until the answer: "
          + ", ".join(f"{name} {waits[min(int(len(waits) * part), len(waits) - 1)]:.4f}"
                      for name, part in (("p50", 0.5), ("p99", 0.99), ("longest", 1)))
          + "; memory in MB: " + ", ".join(f"{size:.1f}" for size in memory))
    sys.exit(1 if unanswered or doubled or late or conversation.wrong or untold else 0)


if __name__ == "__main__":
    main()
