#!/usr/bin/env python3
"""Measures a robot's web server from outside, and its effect on chat. Linux only; needs wrk.

  web-load.py --heybot .build/release/heybot [--rounds 10] [--seconds 10]

It runs an IRC server on loopback, which sends the robot a command fifty times a second in a room, while wrk requests
/heybot/ping with fifty connections. Memory is the process' resident memory (VmRSS).
"""
import argparse, os, pathlib, re, shutil, signal, socket, statistics, subprocess, sys, tempfile, threading, time

ROOM = "#bench"


class Room:
    """An IRC server with one room and one user, who sends commands and measures the time."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.asked, self.taken, self.number = self.listener.getsockname()[1], {}, [], 0
        self.joined = threading.Event()

    def serve(self):
        self.robot, _ = self.listener.accept()
        self.robot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.robot.makefile("r", encoding="utf-8", newline="\r\n") as lines:
            for line in lines:
                self.hear(line.rstrip("\r\n"))

    def send(self, *lines):
        self.robot.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def hear(self, line):
        command, _, rest = line.partition(" ")
        if command == "CAP" and rest.startswith("LS"):
            self.send(":irc.test CAP * LS :")
        elif command == "USER":
            self.send(":irc.test 001 marvin :Welcome", ":irc.test 422 marvin :No message of the day")
        elif command == "PING":
            self.send(f":irc.test PONG irc.test {rest}")
        elif command == "JOIN":
            self.send(f":marvin!m@robot JOIN {ROOM}", f":irc.test 353 marvin = {ROOM} :marvin ada",
                      f":irc.test 366 marvin {ROOM} :End")
            self.joined.set()
        elif command == "PRIVMSG" and (found := re.search(r"answer (\d+)", rest)):
            if (began := self.asked.pop(int(found[1]), None)) is not None:
                self.taken.append(time.perf_counter() - began)

    def ask(self):
        self.number += 1
        self.asked[self.number] = time.perf_counter()
        self.send(f":ada!a@host PRIVMSG {ROOM} :marvin: echo answer {self.number}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def start(heybot, folder, room, port=None):
    environment = {
        "PATH": os.environ["PATH"], "HOME": folder, "HEYBOT_DATA": f"{folder}/data", "HEYBOT_IRC_SERVER": "127.0.0.1",
        "HEYBOT_IRC_PORT": str(room.port), "HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_ROOMS": ROOM,
        "HEYBOT_IRC_UNFLOOD": "0", "HEYBOT_IRC_RATE_BURST": "0", "HEYBOT_BIND_ADDRESS": "127.0.0.1",
        "HEYBOT_LOG_LEVEL": "error"}
    if port:
        environment["PORT"] = str(port)
    process = subprocess.Popen([heybot, "-a", "irc", "-n", "marvin"], env=environment)
    threading.Thread(target=room.serve, daemon=True).start()
    if not room.joined.wait(20):
        process.kill()
        sys.exit("the robot doesn't come into the room")
    time.sleep(1)
    return process


def end(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()


def load(port, seconds):
    """Runs wrk; returns requests per second, the 99th percentile, and errors."""
    text = subprocess.run(
        ["wrk", "-t1", "-c50", f"-d{seconds}s", "--latency", f"http://127.0.0.1:{port}/heybot/ping"],
        capture_output=True, text=True, check=True).stdout
    errors = re.findall(r"Socket errors:.*|Non-2xx.*", text)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), re.search(r"99%\s+(\S+)", text)[1], errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heybot", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: install it with apt-get")
    print(f"load {os.getloadavg()[0]:.1f}\n\n| what | measured |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        room = Room()
        process = start(options.heybot, folder, room)
        print(f"| in a room, at rest, no web server | {resident(process)} KB |")
        end(process)

        room, port = Room(), free_port()
        process = start(options.heybot, folder, room, port)
        print(f"| the same with the web server | {resident(process)} KB |")
        rates, tails, errors, memory, asking = [], [], [], [], threading.Event()

        def ask():
            while not asking.wait(0.02):
                room.ask()

        threading.Thread(target=ask, daemon=True).start()
        for _ in range(options.rounds):
            rate, tail, wrong = load(port, options.seconds)
            rates.append(rate)
            tails.append(tail)
            errors += wrong
            memory.append(resident(process))
        asking.set()
        time.sleep(1)
        taken = sorted(room.taken)
        print(f"| requests a second, 50 connections, median of {options.rounds} | {statistics.median(rates):.0f} |")
        print(f"| their 99th percentile, the worst round | {max(tails, key=lambda text: (len(text), text))} |")
        print(f"| errors | {'; '.join(errors) or 'none'} |")
        print(f"| memory after the first round, and the last | {memory[0]} KB, {memory[-1]} KB |")
        print(f"| chat answered meanwhile | {len(taken)} of {room.number} |")
        print(f"| median, 99th percentile of that | {statistics.median(taken) * 1000:.2f} ms, "
              f"{taken[int(len(taken) * 0.99)] * 1000:.2f} ms |")
        end(process)


if __name__ == "__main__":
    main()
