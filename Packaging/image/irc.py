"""A user on IRC, to test the robot's answers."""

import re
import socket
import time


class Person:
    def __init__(self, nick, port, room):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines, self.rest = [], b""
        self.send(f"NICK {nick}", f"USER {nick} 0 * :{nick}")
        self.wait(r":\S+ 001 ")
        self.send(f"JOIN {room}")
        self.wait(r":\S+ 366 ")

    def send(self, *lines):
        self.socket.sendall("".join(line + "\r\n" for line in lines).encode())

    def say(self, to, text):
        self.send(f"PRIVMSG {to} :{text}")

    def wait(self, pattern, seconds=30):
        """Waits for a line, and removes it and those before it."""
        end = time.monotonic() + seconds
        while True:
            for number, line in enumerate(self.lines):
                if re.match(pattern, line):
                    del self.lines[:number + 1]
                    return line
            if time.monotonic() > end:
                raise TimeoutError(f"no line on IRC matched {pattern} within {seconds} s; last: {self.lines[-3:]}")
            self.socket.settimeout(1)
            try:
                data = self.socket.recv(4096)
            except TimeoutError:
                continue
            if not data:
                raise TimeoutError(f"the IRC server closed the connection before {pattern}; last: {self.lines[-3:]}")
            *lines, self.rest = (self.rest + data).split(b"\r\n")
            for line in lines:
                if line.startswith(b"PING"):
                    self.send(line.decode().replace("PING", "PONG", 1))
                else:
                    self.lines.append(line.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
