#!/usr/bin/env python3
"""Prints heybot(1), in mdoc(7): manual.py PAGE VERSION DATE <HELP

PAGE is heybot.1 in this directory. HELP is the output of `heybot --experimental-dump-help`, the source of options and
commands. DATE is the page's date in seconds since 1970.
"""

import json
import re
import sys
import textwrap
import time


def main(page, version, date, help):
    root = json.load(help)["command"]
    day = time.gmtime(int(date))
    parts = {
        "@date": time.strftime(f"%B {day.tm_mday}, %Y", day),
        "@version": version,
        "@synopsis": "\n".join(synopsis(root)),
        "@options": "\n".join(options(root)),
        "@commands": "\n".join(line for path, command in leaves(root) for line in manual(path, command, root)),
    }
    with open(page, encoding="utf-8") as text:
        print(re.sub("|".join(parts), lambda found: parts[found[0]], text.read()), end="")


def leaves(command, path=()):
    """Yields the commands without subcommands, each with its name as a tuple of words."""
    for subcommand in command.get("subcommands", []):
        name = path + (subcommand["commandName"],)
        if subcommand.get("subcommands"):
            yield from leaves(subcommand, name)
        else:
            yield name, subcommand


def arguments(command, positional=False):
    """Returns the visible options of a command, or its positional arguments."""
    found = [it for it in command.get("arguments", []) if it["shouldDisplay"]]
    return [it for it in found if (it["kind"] == "positional") == positional]


def takes(command, option):
    return option["names"] in [it["names"] for it in arguments(command)]


def own(command, root):
    """Returns the arguments of a command other than the robot's options."""
    return [it for it in arguments(command) if not takes(root, it)] + arguments(command, positional=True)


def synopsis(root):
    lines = [".Nm"] + [".Op " + name(it, brief=True) for it in arguments(root)]
    for path, command in leaves(root):
        lines += [".Nm"] + [".Op Ar options"] * bool(shared(command, root)) + [".Cm " + " ".join(path)]
        for it in own(command, root):
            lines.append((".Op " if it["isOptional"] or it["kind"] != "positional" else ".") + name(it, brief=True))
    return lines


def shared(command, root):
    """Returns the robot's options that a command supports."""
    return [it for it in arguments(root) if takes(command, it) and it["valueName"] != "help"]


def options(root):
    """Returns the options that commands support too, then the others."""
    commands = [command for _, command in leaves(root)]
    common = [it for it in arguments(root) if any(it in shared(command, root) for command in commands)]
    alone = [it for it in arguments(root) if it not in common]
    return ["With the commands that name them below, or without a command:"] + listing(common) + [
        ".Pp", "Without a command:"] + listing(alone)


def manual(path, command, root):
    lines = [".Ss heybot " + " ".join(path), text(command["abstract"])]
    for paragraph in filter(None, command.get("discussion", "").split("\n\n")):
        commands = paragraph.splitlines()
        if all(line.startswith("heybot ") for line in commands):
            lines += [".Bd -literal -offset indent", *map(escaped, commands), ".Ed"]
        else:
            lines += [".Pp", text(paragraph)]
    taken = [name(it, brief=True).split(" Ar ")[0] for it in shared(command, root)]
    if taken:
        lines += [".Pp", "Options:", *(f".{it} ," for it in taken[:-1]), f".{taken[-1]} ."]
    return lines + listing([it for it in own(command, root) if it.get("abstract")])


def listing(arguments):
    items = [line for it in arguments for line in (".It " + name(it), text(it["abstract"]))]
    return [".Bl -tag -width Ds", *items, ".El"] if items else []


def name(argument, brief=False):
    """Returns an argument in mdoc. If brief, only the shortest name of an option is used."""
    value = [] if argument["kind"] == "flag" else ["Ar " + argument["valueName"]]
    names = sorted(argument.get("names", []), key=lambda it: len(it["name"]))[: 1 if brief else None]
    flags = ["Fl " + ("" if it["kind"] == "short" else "Fl ") + it["name"] for it in names]
    more = ["..."] if brief and argument["isRepeating"] else []
    return " ".join([" , ".join(flags)] * bool(flags) + value + more)


def text(words):
    """Returns text in roff: lines of up to 80 characters, with each sentence on new lines."""
    sentences = re.split(r"(?<=[.:]) +(?=[A-Z])", " ".join(words.split()))
    return "\n".join(escaped(line) for it in sentences for line in textwrap.wrap(it, 78, break_on_hyphens=False))


def escaped(line):
    """Escapes a line for roff: requests, backslashes and hyphens."""
    return re.sub(r"^(?=[.'])", r"\\&", line.replace("\\", "\\e").replace("-", "\\-"))


main(*sys.argv[1:4], sys.stdin)
