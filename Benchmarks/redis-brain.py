#!/usr/bin/env python3
"""Compares a brain in Redis with redis-benchmark and with a brain in a file. Linux only.

  redis-brain.py --benchmarks .build/release/heybot-benchmarks --heybot .build/release/heybot [--entries 1000000]

It starts a Redis on a loopback port, without persistence, since Redis' disk isn't the subject. Every row is the median of
the rounds. A round measures all of them in turn, so that other load on the machine affects them equally.
"""
import argparse, collections, os, pathlib, platform, random, shutil, signal, statistics, subprocess, sys, tempfile, time


def start_redis(folder):
    for _ in range(20):
        port = random.randint(20_000, 31_999)
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--dir", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            if server.poll() is not None:
                break
            if cli(port, "PING", check=False) == "PONG":
                return server, port
            time.sleep(0.01)
        server.kill()
        server.wait()
    sys.exit("Redis doesn't start")


def cli(port, *words, check=True):
    done = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"redis-cli {' '.join(words)[:80]}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def benchmark(port, test):
    """Returns redis-benchmark's rate without pipelining, with 50 clients."""
    text = subprocess.run(
        ["redis-benchmark", "-p", str(port), "-c", "50", "-n", "50000", "-t", test, "--csv"],
        capture_output=True, text=True, check=True).stdout
    return float(text.strip().splitlines()[-1].split(",")[1].strip('"'))


def rates(program, address):
    """Runs a round with a brain; returns calls per second by (call, callers)."""
    text = subprocess.run([program, "rates", address], capture_output=True, text=True, check=True).stdout
    return {(what, int(callers)): float(rate) for what, callers, rate in map(str.split, text.splitlines())}


def resident(program, url, folder):
    """Returns a robot's resident memory in MB, after some changes of the brain."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEYBOT_", "HUBOT_"))}
    robot = subprocess.Popen(
        [program, "--data", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment | {"HEYBOT_REDIS_URL": url}, text=True)
    for _ in range(20):
        robot.stdin.write("swift++\n")
        robot.stdin.flush()
        if "swift now has" not in robot.stdout.readline():
            sys.exit("the robot doesn't answer")
    time.sleep(0.5)
    status = pathlib.Path(f"/proc/{robot.pid}/status").read_text()
    robot.stdin.close()
    robot.wait()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024


def fill(port, count):
    """Adds entries to the large brain's collection."""
    script = "for i = ARGV[1], ARGV[2] do redis.call('HSET', KEYS[1], 'entry ' .. i, i) end"
    for start in range(0, count, 10_000):
        cli(port, "-n", "1", "EVAL", script, "1", "large:collection:counters", str(start),
            str(min(start + 10_000, count) - 1))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--benchmarks", required=True, help="the program heybot-benchmarks")
    arguments.add_argument("--heybot", required=True, help="the program heybot")
    arguments.add_argument("--entries", type=int, default=1_000_000, help="the number of entries of the large brain")
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="heybot-benchmark-")
    server, port = start_redis(folder)
    try:
        small, large = f"redis://127.0.0.1:{port}/0", f"redis://127.0.0.1:{port}/1?large"
        found = collections.defaultdict(list)
        memory = {"small": resident(options.heybot, small, folder)}
        fill(port, options.entries)
        for _ in range(options.rounds):
            found["redis-benchmark", "set", 50].append(benchmark(port, "set"))
            for name, address in [("Redis", small), ("Redis, large", large), ("SQLite", f"sqlite:{folder}/brain.sqlite")]:
                for (what, callers), rate in rates(options.benchmarks, address).items():
                    found[name, what, callers].append(rate)
        memory["large"] = resident(options.heybot, large, folder)
        report(found, memory, options.entries)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def report(found, memory, entries):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 platform.machine())
    load = pathlib.Path("/proc/loadavg").read_text().split()[0]
    print(f"{model}, {os.cpu_count()} processors, load {load}\n")
    rate = {key: statistics.median(values) for key, values in found.items()}
    reference = rate["redis-benchmark", "set", 50]
    print(f"redis-benchmark, SET, 50 clients, unpipelined: {reference:.0f} a second\n")
    print(f"| calls a second | Redis | of redis-benchmark | Redis, {entries:,} entries | SQLite |\n|---|---|---|---|---|")
    for callers in (64, 1):
        for what in ("remember", "update", "recall"):
            ours, large, file = (rate[name, what, callers] for name in ("Redis", "Redis, large", "SQLite"))
            who = "one caller" if callers == 1 else f"{callers} callers"
            print(f"| `{what}`, {who} | {ours:.0f} | {ours / reference:.2f} | {large:.0f} | {file:.0f} |")
    # Pairs from the same round, so that other load on the machine matters least.
    costs = [few / many for few, many in zip(found["Redis", "update", 1], found["Redis, large", "update", 1])]
    print(f"\nAn update among {entries:,} entries costs {statistics.median(costs):.2f} times one among few (one caller).")
    print(f"The robot's resident memory: {memory['small']:.1f} MB with an empty brain, {memory['large']:.1f} MB with that.")


main()
