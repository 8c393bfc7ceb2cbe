"""A parser for Dockerfiles. It supports only what Heybot's use, and rejects everything else."""

import json
import re
import shlex
from dataclasses import dataclass

KNOWN = "FROM RUN COPY WORKDIR ENV LABEL USER VOLUME HEALTHCHECK ENTRYPOINT CMD".split()


class DockerfileError(Exception):
    pass


@dataclass(frozen=True)
class Instruction:
    line: int
    name: str
    text: str

    def fail(self, reason):
        raise DockerfileError(f"line {self.line}: {self.name} {self.text}: {reason}")

    @property
    def words(self):
        """The words of a JSON list."""
        try:
            words = json.loads(self.text)
        except ValueError:
            words = None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            self.fail("write it as a list of strings, to run it without a shell")
        return words

    @property
    def pairs(self):
        """The pairs KEY=VALUE."""
        pairs = [word.partition("=") for word in shlex.split(self.text)]
        if not all(sign for _, sign, _ in pairs):
            self.fail("write it as KEY=VALUE")
        return {key: value for key, _, value in pairs}

    @property
    def options(self):
        """The options --key=value, and the text after them."""
        options, rest = {}, self.text
        while match := re.match(r"--([a-z-]+)=(\S+)\s+", rest):
            options[match[1]] = match[2]
            rest = rest[match.end():]
        return options, rest


def read(text):
    """Returns the instructions, with continuation lines joined."""
    instructions, begun, start = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        start = start if begun else number
        begun += line.strip() if not begun else " " + line.strip()
        if begun.endswith("\\"):
            begun = begun[:-1].rstrip()
            continue
        name, _, rest = begun.partition(" ")
        instruction = Instruction(start, name.upper(), rest.strip())
        if instruction.name not in KNOWN:
            instruction.fail(f"only {', '.join(KNOWN)} are supported")
        if "<<" in rest and instruction.name in ("RUN", "COPY"):
            instruction.fail("here-documents aren't supported")
        instructions.append(instruction)
        begun = ""
    if begun:
        raise DockerfileError(f"line {start}: the file ends within {begun}")
    return instructions
