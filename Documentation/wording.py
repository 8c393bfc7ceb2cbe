#!/usr/bin/env python3
"""Checks the wording of comments, texts and pages, and that public declarations have doc comments; bin/lint runs it."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rules = []
for line in (root / "Documentation/wording.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        pattern, instead = line.split("\t")
        rules.append((re.compile(pattern, re.IGNORECASE), instead))

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
problems = []

# What is said in a line of Swift: its comment, and its string literals.
comment = re.compile(r"(?:^|\s)//+(.*)$")
literal = re.compile(r'"((?:[^"\\]|\\.)*)"')
name = re.compile(r"func `([^`]+)`")
# Requirements of protocols of the standard library, which need no documentation of their own.
inherited = {
    "allCases", "configuration", "customMirror", "debugDescription", "advanced", "description", "duration", "Element", "encode", "hash", "id", "makeAsyncIterator",
    "makeIterator", "minimumResolution", "next", "now", "rawValue", "codingKey", "hashValue",
}
public = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?!import\b|extension\b|internal\(set\))"
                    r"((?:\w+(?:\(set\))?\s+)*(?:func|var|let|init|struct|class|enum|actor|protocol|subscript|typealias|case|macro)\b.*)$")


def check(path, number, text):
    for pattern, instead in rules:
        found = pattern.search(text)
        if found:
            problems.append(f"{path}:{number}: \"{found.group()}\": write {instead}")


def name_of(declaration):
    if re.search(r"\binit\b", declaration):
        # Their parameters say it all, or it is a literal's or a decoder's.
        return "init" if re.search(r"init\??\((\)|from |rawValue|\w*[lL]iteral )", declaration) else ""
    found = re.search(r"\b(?:func|var|let|typealias|case|struct|class|enum|actor|protocol)\s+`?([\w=<~!+-]+)", declaration)
    return found.group(1) if found else ""


# Requirements of the project's own protocols have their documentation in the protocol.
for path in files.stdout.splitlines():
    if not path.startswith("Sources/") or not path.endswith(".swift") or not (root / path).is_file():
        continue
    depth, inside = 0, None
    for text in (root / path).read_text().splitlines():
        code = re.sub(r"//.*|\"[^\"]*\"", "", text)
        if inside is None and re.search(r"\bprotocol \w+", code):
            inside = depth
        elif inside is not None and re.match(r"\s*(?:static |mutating |package )*(?:func|var) ", code):
            inherited.add(name_of(code))
        depth += code.count("{") - code.count("}")
        if inside is not None and depth <= inside and "}" in code:
            inside = None
inherited.add("init")

for path in files.stdout.splitlines():
    file = root / path
    if path.startswith("Documentation/wording") or not file.is_file():
        continue
    if path.endswith(".md"):
        for number, text in enumerate(file.read_text().splitlines(), 1):
            check(path, number, text)
    elif path.endswith(".swift"):
        lines = file.read_text().splitlines()
        for number, text in enumerate(lines, 1):
            if text.endswith("// wording: quoted"):
                continue
            said = [found.group(1) for pattern in (comment, name) for found in pattern.finditer(text)]
            code = comment.sub("", text)
            said += literal.findall(code)
            check(path, number, " ".join(said))
            if not path.startswith(("Sources/", "Scripts/")):
                continue
            declaration = public.match(text)
            if declaration is None or name_of(declaration.group(1)) in inherited or "override " in text:
                continue
            if re.search(r"\bfunc [=<~!+-]", text):
                continue
            above = number - 2
            while above >= 0 and lines[above].strip().startswith(("@", "#if", "nonisolated")):
                above -= 1
            if above < 0 or not lines[above].strip().startswith("///"):
                problems.append(f"{path}:{number}: a public declaration without a doc comment: {declaration.group(1)[:60]}")

print("\n".join(problems), file=sys.stderr if problems else sys.stdout, end="\n" if problems else "")
sys.exit(1 if problems else 0)
