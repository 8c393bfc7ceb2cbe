#!/usr/bin/env python3
"""A script host in Python: what ScriptHostProtocol.md says, and no more. It shows that another language can speak the protocol.

Its scripts are files that define `register(robot)`, with `robot.hear(pattern, function)` and `robot.respond(pattern, function)`.
"""
import json
import os
import re
import sys
import traceback

# The protocol keeps the real standard output; what scripts print goes to the log.
output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")


def write(type, **fields):
    output.write(json.dumps({"type": type, **{key: value for key, value in fields.items() if value is not None}}) + "\n")
    output.flush()


class Printer:
    def write(self, text):
        for line in text.split("\n"):
            if line.strip():
                write("log", level="info", script=Robot.loading, text=line)

    def flush(self):
        pass


class Response:
    def __init__(self, run, message, match):
        self.run, self.message, self.match = run, message, match

    def say(self, kind, texts):
        Robot.requests += 1
        user = self.message.get("user") or {}
        write("send", kind=kind, run=self.run, room=self.message.get("room"), user=user.get("id"), strings=list(texts), request=Robot.requests)

    def send(self, *texts):
        self.say("send", texts)

    def reply(self, *texts):
        self.say("reply", texts)


class Robot:
    loading = None
    requests = 0

    def __init__(self, name):
        self.name, self.listeners, self.ordinal = name, {}, 0

    def add(self, kind, pattern, function):
        id = len(self.listeners) + 1
        self.listeners[id] = (kind, re.compile(pattern, re.IGNORECASE), function, Robot.loading)
        write("listener", id=id, script=Robot.loading, ordinal=self.ordinal, kind=kind, pattern=pattern, flags="i", options={"id": None})
        self.ordinal += 1

    def hear(self, pattern, function):
        self.add("hear", pattern, function)

    def respond(self, pattern, function):
        self.add("respond", pattern, function)

    def load(self, id, path):
        Robot.loading, self.ordinal, before = id, 0, len(self.listeners)
        write("loading", script=id, path=path)
        error, commands, names = None, [], {}
        try:
            with open(path, encoding="utf-8") as file:
                source = file.read()
            exec(compile(source, path, "exec"), names)
            names["register"](self)
            commands = [line[len("# command: "):] for line in source.splitlines() if line.startswith("# command: ")]
        except Exception as problem:
            frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == path]
            line = problem.lineno if isinstance(problem, SyntaxError) else frames[-1].lineno if frames else None
            error = {"message": str(problem), "file": path, "line": line}
        Robot.loading = None
        write("script", id=id, path=path, listeners=list(range(before + 1, len(self.listeners) + 1)), commands=commands, error=error)

    def run(self, run, listener, message):
        kind, pattern, function, script = self.listeners.get(listener, (None, None, None, None))
        text = message.get("command") if kind == "respond" else message.get("text")
        match = text is not None and pattern and (pattern.match(text) if kind == "respond" else pattern.search(text))
        if not match:
            write("result", run=run, matched=False)
            return
        error = None
        try:
            function(Response(run, message, match))
        except Exception as problem:
            error = str(problem)
            write("error", script=script, run=run, message=error, stack=traceback.format_exc())
        write("result", run=run, matched=True, finished=False, ended=True, error=error)


def main():
    sys.stdout = Printer()
    robot = None
    for line in sys.stdin:
        message = json.loads(line)
        type = message["type"]
        if type == "start":
            robot = Robot(message["name"])
            for script in message.get("scripts", []):
                robot.load(script["id"], script["path"])
            write("ready", protocol=1, language="Python " + sys.version.split()[0], scripts=len(message.get("scripts", [])), listeners=len(robot.listeners))
        elif type == "message":
            robot.run(message["run"], message["listener"], message["message"])
        elif type == "ping":
            write("pong", id=message.get("id"))
        elif type == "middleware":
            write("result", run=message["run"], **{"continue": True})
        elif type == "stop":
            return


main()
