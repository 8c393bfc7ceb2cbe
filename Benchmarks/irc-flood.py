#!/usr/bin/env python3
"""Measures an IRC bot from outside: latency, and CPU time per line. Linux only.

  irc-flood.py --cmd 'heybot -a irc -n marvin' [--quick]
  irc-flood.py --cmd 'env LISTENERS={n} heybot-many-listeners -a irc -n marvin' --listeners 0,100,1000
  irc-flood.py --rest-only --cmd 'bare: heybot -a irc -n marvin -d' --cmd 'web: heybot -a irc -n marvin'

It runs a server on loopback, starts each bot with its settings in HEYBOT_IRC_*, and prints a table. Below the table are
ratios: room lines with and without additional listeners, and commands beside Hubot's. A bot must answer `marvin: ping`
with `PONG`. A command that contains {n} is run once for each number in --listeners; the bot should have that many
additional listeners such as \\b(?:deploy0|ship0)\\s+(\\w+) to (\\w+)$. The floor is a minimal bot
(`irc-flood.py minibot`), measured the same way. All bots run at the same time and take turns; the figures are medians
over the rounds. A flood has as many lines as the bot reads in about three seconds, up to --lines. CPU is the user and
system time of all threads of the bot's process and of its child processes, such as the Node process for Hubot scripts; on
a busy machine (see the load) it is higher. It also depends on which CPUs the system chooses, and whether they share a
core, so it is measured on one CPU too. The memory of child processes has a row of its own. The allocations of the bots
and their child processes, but not Hubot's, are counted in a run of their own, if there is a C compiler.

If HUBOT_DIR is the directory of an installed Hubot, it is measured too: `npm install hubot` in an empty directory is
enough, or a checkout in which `npm install` was run. It must be version 11 or newer, and needs node. It gets a small
IRC adapter and the same listeners from the directory hubot beside this file, and no web server.
"""
import argparse, collections, contextlib, ctypes, functools, json, os, pathlib, platform, random, re, shlex, shutil
import signal, socket, statistics, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
from irc_server import ANSWER, ASK, NICK, PEOPLE, ROOM, Connection, Failure, gone, spoken

WORDS = """the build is green again after we moved that job to another host so lunch in ten minutes anyone seen my mug
it was near the printer deploy went fine no errors since noon maybe café übrigens Привет мир 日本語 & ok sure""".split()
JOINED, ANSWERED, REST = "start to joined, ms", "start to first answer, ms", "resident at rest, MB"
AFTER, TRIP, LINE = "resident after a flood, MB", "CPU per command, µs", "CPU per room line, µs"
SHARED = "CPU per command if the bot and its user share one CPU, µs"
SPEED, CHILDREN = "room lines per second", "resident at rest in child processes, MB"
P50 = "command to answer, ms, p50"
LIBC = ctypes.CDLL(None)
note = functools.partial(print, file=sys.stderr, flush=True)


class Bot:
    """A column of the table."""

    def __init__(self, name, command, listeners=0):
        self.name, self.command, self.listeners, self.lines = name, command, listeners, 1000
        self.log, self.values = None, collections.defaultdict(list)

    def add(self, row, value):
        self.values[row].append(value)


def chat(seed, count, listeners=0, matching=0):
    """Yields lines of a room, the same for the same seed. A share of them may match the additional listeners."""
    dice = random.Random(seed)
    for _ in range(count):
        text = " ".join(dice.choices(WORDS, k=dice.randint(3, 16)))
        if matching and listeners and dice.random() < matching:
            text = f"deploy{dice.randrange(listeners)} parser to production"
        yield spoken(dice.choice(PEOPLE), text)


@contextlib.contextmanager
def running(bot, setup, variables={}):
    """Runs the bot in an empty directory, and yields its connection once it has joined the room."""
    connection, folder = None, tempfile.mkdtemp(dir=setup.folder)
    bot.log = pathlib.Path(folder, "log")
    foreign = ("HEYBOT_", "HUBOT_", "REDIS", "EXPRESS_", "PORT", "BIND_ADDRESS")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    with socket.create_server(("127.0.0.1", 0)) as listener, bot.log.open("wb") as log:
        own = {"SERVER": "127.0.0.1", "PORT": str(listener.getsockname()[1]), "ROOMS": ROOM, "USESSL": "false",
               "UNFLOOD": "0", "RATE_BURST": "0", "PING_INTERVAL": "3600"}  # No pings while other bots have their turns.
        environment |= {"HEYBOT_IRC_" + key: value for key, value in own.items()}
        environment |= {"HEYBOT_NAME": NICK, "HEYBOT_DATA": f"{folder}/data"} | variables
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                bot.command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))  # It ends with this process (PR_SET_PDEATHSIG).
        except OSError as error:
            raise Failure(bot, f"can't be started: {error}") from None
        try:
            connection = Connection(bot, process, accepted(listener, bot, process))
            connection.started = started
            connection.expect(lambda: connection.joined_at, 30, "join")
            yield connection
        finally:
            end(process, connection)


def accepted(listener, bot, process):
    deadline = time.monotonic() + 30
    listener.settimeout(0.1)
    while time.monotonic() < deadline:
        with contextlib.suppress(TimeoutError):
            return listener.accept()[0]
        if process.poll() is not None:
            raise Failure(bot, gone(process, "connect"))
    raise Failure(bot, "doesn't connect within 30 s")


def end(process, connection):
    process.terminate()
    try:
        with contextlib.suppress(Failure, OSError):
            connection and connection.pump(lambda: False, 5)  # It may send QUIT.
        process.wait(5)
    except subprocess.TimeoutExpired:
        note(f"process {process.pid} doesn't end by itself")
    finally:
        process.kill()
        process.wait()
        connection and connection.sock.close()


def children(process):
    """Returns the ids of the descendants of the process with this id."""
    own = [int(child) for path in pathlib.Path(f"/proc/{process}/task").glob("*/children")
           for child in path.read_text().split()]
    return own + [other for child in own for other in children(child)]


@contextlib.contextmanager
def on_one_cpu(connection):
    """Keeps this process and a bot's on one CPU meanwhile."""
    process = connection.process.pid
    tasks = [int(path.name) for one in (os.getpid(), process, *children(process))
             for path in pathlib.Path(f"/proc/{one}/task").iterdir()]
    usual, chosen = os.sched_getaffinity(0), {max(os.sched_getaffinity(0))}
    try:
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(task, chosen)
        yield
    finally:
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(task, usual)


def cpu(connection):
    """Returns the CPU time of a bot's processes in microseconds, from their own clocks (clock_getcpuclockid(3))."""
    process = connection.process.pid
    return sum(time.clock_gettime_ns(~one << 3 | 2) for one in (process, *children(process))) / 1000


def memory(process):
    """Returns the resident memory of the process with this id, in MB."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) / 1024


def measure_start(bot, setup):
    with running(bot, setup) as connection:
        answered = connection.ask_first()
    bot.add(JOINED, (connection.joined_at - connection.started) * 1000)
    bot.add(ANSWERED, (answered - connection.started) * 1000)


def measure_rest(bot, connection):
    connection.rest(max(0, connection.joined_at + 2 - time.monotonic()))
    process = connection.process.pid
    bot.add(REST, memory(process))
    bot.add(CHILDREN, sum(map(memory, children(process))))


def warm_up(bot, connection, setup):
    """Warms the bot up, and determines the number of lines of a flood."""
    connection.ask_first()
    connection.rest(0.5)  # For the answers to repeated commands.
    for _ in range(50):
        connection.ask()
    seconds = connection.ask(b"".join(chat("warm", 1000)), 120, "answer behind 1,000 lines")
    bot.lines = min(setup.lines, max(1000, int(3000 / seconds)))


def measure_commands(bot, connection, setup):
    before = cpu(connection)
    trips = sorted(connection.ask() * 1000 for _ in range(setup.commands))
    bot.add(P50, trips[setup.commands // 2])
    bot.add("command to answer, ms, p99", trips[setup.commands * 99 // 100])
    bot.add(TRIP, (cpu(connection) - before) / setup.commands)
    with on_one_cpu(connection):
        connection.ask()
        before = cpu(connection)
        for _ in range(setup.commands):
            connection.ask()
        bot.add(SHARED, (cpu(connection) - before) / setup.commands)


def measure_flood(bot, connection, setup, round):
    lines = b"".join(chat(round, bot.lines, bot.listeners, setup.matching))
    connection.rest(0.5)
    before = cpu(connection)
    seconds = connection.ask(lines, 120, f"answer behind {bot.lines:,} lines")
    connection.rest(0.5)
    bot.add(LINE, (cpu(connection) - before) / bot.lines)
    bot.add(SPEED, bot.lines / seconds)
    connection.rest(1)  # A bot may give memory back when it is idle again.
    bot.add(AFTER, memory(connection.process.pid))


def measure_burst(bot, connection, setup):
    before, start = connection.said, time.monotonic()
    connection.send(spoken(PEOPLE[0], ASK) * setup.burst)
    connection.expect(lambda: connection.said > before, 30, "answer many commands at once")
    while (said := connection.said - before) < setup.burst and connection.pump(
            lambda: connection.said - before > said, 5):
        pass
    bot.add(f"{setup.burst:,} commands at once: answers", said)
    bot.add(f"{setup.burst:,} commands at once: until the last answer, ms", (connection.said_at - start) * 1000)


def measure_pong(bot, connection, setup, round):
    token = f"flood-{round}"
    lines = b"".join(chat(round, setup.behind)) + f"PING :{token}\r\n".encode()
    start = time.monotonic()
    connection.send(lines)
    connection.expect(lambda: connection.pong == token, 120, f"answer a PING behind {setup.behind:,} lines")
    bot.add(f"PONG behind {setup.behind:,} lines, ms", (connection.pong_at - start) * 1000)
    connection.ask(within=120)  # So that no work is left for the next bot's turn.


def measure(bots, setup):
    for _ in range(setup.starts):
        for bot in bots:
            measure_start(bot, setup)
    with contextlib.ExitStack() as stack:
        connections = [(bot, stack.enter_context(running(bot, setup))) for bot in bots]
        for bot, connection in connections:
            measure_rest(bot, connection)
            warm_up(bot, connection, setup)
            connection.others.clear()
        for round in range(setup.rounds):
            for bot, connection in connections:
                measure_commands(bot, connection, setup)
                measure_flood(bot, connection, setup, round)
                measure_burst(bot, connection, setup)
                measure_pong(bot, connection, setup, round)
                figures = ", ".join(f"{row} {number(bot.values[row][-1])}" for row in (TRIP, LINE, SPEED, AFTER))
                note(f"round {round + 1}, {bot.name}: {figures}, load {os.getloadavg()[0]:.2f}")
        for bot, connection in connections:
            if connection.others:
                note(f"{bot.name}: {len(connection.others)} unexpected answers, such as {connection.others[:3]}")


def measure_rests(bots, setup):
    for _ in range(setup.rounds):
        for bot in bots:
            with running(bot, setup) as connection:
                measure_rest(bot, connection)
            bot.add(JOINED, (connection.joined_at - connection.started) * 1000)
            note(f"{bot.name}: {bot.values[REST][-1]:.1f} MB")


def count_allocations(bots, setup):
    """Returns a line for each bot: its allocations per command and per room line; none without a C compiler."""
    library, counter = pathlib.Path(setup.folder, "allocations.so"), pathlib.Path(setup.folder, "allocations")
    source = pathlib.Path(__file__).resolve().with_name("allocations.c")
    compiler = next(filter(None, map(shutil.which, ("cc", "clang"))), None)
    if not compiler or subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source]).returncode:
        note("irc-flood: the allocations aren't counted, because allocations.c can't be compiled")
        return []
    result = []

    def count(work):
        before = int.from_bytes(counter.read_bytes(), sys.byteorder)
        work()
        return int.from_bytes(counter.read_bytes(), sys.byteorder) - before

    for bot in bots:
        counter.write_bytes(bytes(8))
        with running(bot, setup, {"LD_PRELOAD": str(library), "ALLOCATIONS": str(counter)}) as connection:
            warm_up(bot, connection, setup)
            commands = count(lambda: [connection.ask() for _ in range(setup.commands)])
            lines = b"".join(chat("allocations", setup.behind))
            flood = count(lambda: connection.ask(lines, 120))
        result.append(f"- {bot.name}: {number(commands / setup.commands)} allocations per command, "
                      f"{number(flood / setup.behind)} per room line")
    return result


def minibot():
    """A minimal bot: it searches the bytes for the command, and hardly knows IRC."""
    address = os.environ["HEYBOT_IRC_SERVER"], int(os.environ["HEYBOT_IRC_PORT"])
    sock, pending, command = socket.create_connection(address), b"", f" :{ASK}\r\n".encode()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(f"NICK {NICK}\r\nUSER {NICK} 0 * :{NICK}\r\nJOIN {ROOM}\r\n".encode())
    while True:
        pending += sock.recv(65536) or sys.exit()
        whole, end, pending = pending.rpartition(b"\n")
        lines = whole + end
        if count := lines.count(command):
            sock.sendall(f"PRIVMSG {ROOM} :{ANSWER}\r\n".encode() * count)
        if (at := lines.find(b"\nPING ")) >= 0 or lines.startswith(b"PING "):
            sock.sendall(b"PONG " + lines[at + 6 : lines.index(b"\n", at + 1) + 1])


def make_hubots(counts):
    """Returns the Hubots to measure, if one is installed."""
    if not (folder := os.environ.get("HUBOT_DIR")):
        return []
    programs = [pathlib.Path(folder, path) for path in ("node_modules/.bin/hubot", "bin/hubot")]
    program = next((path.resolve() for path in programs if path.exists()), None)
    if not program or not (package := program.parent.parent / "index.mjs").exists():
        sys.exit(f"irc-flood: HUBOT_DIR, {folder}, has no Hubot of version 11 or newer; see --help")
    version = json.loads((package.parent / "package.json").read_text())["version"]
    ours = pathlib.Path(__file__).resolve().parent / "hubot"
    command = [program, "-d", "--name", NICK, "--file", ours / "irc.mjs", "--require", ours / "scripts"]
    return [Bot(f"Hubot {version}, {count}", ["env", f"BENCH_HUBOT={package.as_uri()}", f"BENCH_LISTENERS={count}",
                                              *command], count) for count in counts]


def make_bots(text, counts):
    """Returns the bots of one --cmd."""
    name, command = re.fullmatch(r"(?:([^:={]+): )?(.*)", text, re.DOTALL).groups()
    name, has_count = name or "robot", "{n}" in command
    bots = []
    for count in counts if has_count else [0]:
        parts = shlex.split(command.replace("{n}", str(count)))
        parts[0] = os.path.abspath(parts[0]) if "/" in parts[0] else parts[0]
        bots.append(Bot(f"{name}, {count}" if has_count else name, parts, count))
    return bots


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def has_children(bot):
    return any(bot.values[CHILDREN])


def print_table(bots):
    print(f"| what | {' | '.join(bot.name for bot in bots)} |\n|---|{'---:|' * len(bots)}")
    for row in bots[0].values:
        if row == CHILDREN and not any(map(has_children, bots)):
            continue
        kinds = {row: statistics.median}
        if row == AFTER:
            kinds = {row.replace(" a ", " the first "): lambda values: values[0],
                     row.replace(" a ", " the last "): lambda values: values[-1]}
        # Python's start and memory aren't minimal.
        shown = bots[1:] if row.startswith(("start", "resident")) else bots
        for name, kind in kinds.items():
            cells = [number(kind(bot.values[row])) if bot in shown else "" for bot in bots]
            print(f"| {name} | {' | '.join(cells)} |")
    print(f"| lines of a flood | {' | '.join(f'{bot.lines:,}' for bot in bots)} |")


def print_ratios(bots, hubots):
    """Prints what additional listeners add to the cost of a line, and how long commands take compared with Hubot's."""
    def ratio(row, one, other):
        return statistics.median(one.values[row]) / statistics.median(other.values[row])

    series, lines = collections.defaultdict(list), []
    for bot in bots:
        series[bot.name.rpartition(", ")[0]].append(bot)
    for first, *others in series.values():
        lines += [f"- {bot.name}: CPU per room line {100 * ratio(LINE, bot, first) - 100:+.0f} % compared with {first.name}"
                  for bot in others if bot.listeners]
        lines += [f"- {bot.name}: command to answer {ratio(P50, bot, hubot):.1f} times as long as {hubot.name}"
                  for bot in (first, *others) for hubot in hubots if hubot.listeners == bot.listeners]
    if lines:
        print("", *lines, sep="\n")


def print_rests(bots):
    shows_children = any(map(has_children, bots))
    print(f"| what | {JOINED} | {REST} | more than the first, MB |{f' {CHILDREN} |' if shows_children else ''}")
    print(f"|---|---:|---:|---:|{'---:|' if shows_children else ''}")
    for bot in bots:
        joined, rest, first, others = map(
            statistics.median, (bot.values[JOINED], bot.values[REST], bots[0].values[REST], bot.values[CHILDREN]))
        print(f"| {bot.name} | {number(joined)} | {rest:.1f} | {rest - first:+.1f} |"
              f"{f' {others:.1f} |' if shows_children else ''}")


def main():
    if sys.argv[1:] == ["minibot"]:
        return minibot()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmd", action="append", required=True, metavar="[NAME: ]COMMAND",
                        help="the command of a bot, run without a shell; can be repeated")
    parser.add_argument("--listeners", default="0,100,1000", help="the values of {n}: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="the number of rounds: %(default)s")
    parser.add_argument("--lines", type=int, default=100_000, help="the maximum number of lines of a flood: %(default)s")
    parser.add_argument("--matching", type=float, default=0, metavar="SHARE",
                        help="the share of lines that match an additional listener, from 0 to 1: %(default)s")
    parser.add_argument("--quick", action="store_true", help="three rounds with a tenth of the load")
    parser.add_argument("--rest-only", action="store_true", help="measure only memory at rest in a room")
    setup = parser.parse_args()
    tenth = 10 if setup.quick else 1
    setup.rounds, setup.lines = 3 if setup.quick else setup.rounds, max(1000, setup.lines // tenth)
    setup.starts, setup.commands, setup.burst, setup.behind = setup.rounds, 500 // tenth, 1000 // tenth, 20_000 // tenth
    load, counts = os.getloadavg()[0], [int(text) for text in setup.listeners.split(",")]
    bots = [bot for text in setup.cmd for bot in make_bots(text, counts)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that the bots are ended too.
    with tempfile.TemporaryDirectory() as setup.folder:
        try:
            if setup.rest_only:
                measure_rests(bots, setup)
            else:
                floor = Bot("floor", [sys.executable, os.path.abspath(__file__), "minibot"])
                own, hubots = bots, make_hubots(counts)
                bots = [floor, *own, *hubots]
                measure(bots, setup)
                allocations = count_allocations(own, setup)
        except Failure as failure:
            log = failure.bot.log.read_text(errors="replace") if failure.bot.log else ""
            note("\n".join(log.splitlines()[-15:]) or "(its log is empty)")
            sys.exit(f"irc-flood: {failure}")
        except KeyboardInterrupt:
            sys.exit(130)
    model = re.search(r"model name\s*: (.*)|$", pathlib.Path("/proc/cpuinfo").read_text())[1] or platform.machine()
    print(f"{platform.node()}: {os.cpu_count()} × {model}, Linux {platform.release()}, load {load:.2f} before and "
          f"{os.getloadavg()[0]:.2f} after; medians of {setup.rounds} rounds.\n")
    if setup.rest_only:
        print_rests(bots)
    else:
        print_table(bots)
        print_ratios(own, hubots)
        print("", *allocations, sep="\n")


if __name__ == "__main__":
    main()
