#!/usr/bin/env python3
"""Makes the README's picture of a conversation.

    Documentation/picture.py            draws conversation-light.svg and -dark.svg from conversation.txt
    Documentation/picture.py --record   first records conversation.txt anew: types its lines into bin/heybot, in tmux

The lines to type are those of conversation.txt that begin with a prompt. A test compares the answers with the robot's, and the
pictures with the text.
"""

import html
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
TEXT = FOLDER / "conversation.txt"
PROMPTS = ("$ ", "Heybot> ")
COLUMNS, ROWS = 72, 40
THEMES = {
    "light": {"background": "#ffffff", "border": "#d0d7de", "text": "#1f2328", "prompt": "#0969da", "typed": "#1f2328"},
    "dark": {"background": "#0d1117", "border": "#30363d", "text": "#c9d1d9", "prompt": "#58a6ff", "typed": "#f0f6fc"},
}
LINE, CHARACTER, SIZE, MARGIN, BAR = 20, 8.43, 14, 16, 28


def typed(line):
    """The prompt of a line and what was typed after it, or None if the line is an answer."""
    for prompt in PROMPTS:
        if line.startswith(prompt):
            return prompt, line[len(prompt):]
    return None


def record(lines):
    """Types the lines into a shell with the robot, and returns what the terminal shows."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        socket = f"{folder}/tmux"

        def tmux(*arguments):
            return subprocess.run(["tmux", "-S", socket, *arguments], check=True, capture_output=True, text=True).stdout

        def screen():
            return tmux("capture-pane", "-p").rstrip("\n")

        def wait(prompt):
            for _ in range(600):
                if screen().splitlines()[-1:] == [prompt.rstrip()]:
                    return
                time.sleep(0.1)
            sys.exit(f"no prompt after a minute:\n{screen()}")

        environment = {
            "HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HEYBOT_DATA": f"{folder}/data",
        }
        variables = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", str(FOLDER.parent), *variables,
             f"env 'PS1={PROMPTS[0]}' bash --norc --noprofile")
        try:
            wait(PROMPTS[0])
            for index, (_, text) in enumerate(lines):
                tmux("send-keys", "-l", text)
                tmux("send-keys", "Enter")
                following = lines[index + 1][0] if index + 1 < len(lines) else PROMPTS[0]
                time.sleep(0.3)
                wait(following)
            shown = screen().splitlines()
        finally:
            tmux("kill-server")
    # The last prompt waits for more.
    return "\n".join(line.rstrip() for line in shown[:-1]) + "\n"


def draw(lines, theme):
    """An SVG of a terminal window with the lines."""
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = BAR + len(lines) * LINE + 2 * MARGIN
    colors = THEMES[theme]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        ' aria-label="A conversation with Heybot in a terminal">',
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{colors["background"]}"'
        f' stroke="{colors["border"]}"/>',
    ]
    for index, color in enumerate(["#ff5f57", "#febc2e", "#28c840"]):
        parts.append(f'<circle cx="{MARGIN + 6 + index * 18}" cy="{MARGIN + 2}" r="5" fill="{color}"/>')
    parts.append(
        f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{SIZE}"'
        ' xml:space="preserve">')
    for index, line in enumerate(lines):
        y = BAR + MARGIN + (index + 1) * LINE - 6
        found = typed(line)
        if found:
            prompt, text = found
            parts.append(
                f'<text x="{MARGIN}" y="{y}"><tspan fill="{colors["prompt"]}" font-weight="bold">{html.escape(prompt, False)}'
                f'</tspan><tspan fill="{colors["typed"]}" font-weight="bold">{html.escape(text, False)}</tspan></text>')
        elif line:
            parts.append(f'<text x="{MARGIN}" y="{y}" fill="{colors["text"]}">{html.escape(line, False)}</text>')
    return "\n".join(parts + ["</g>", "</svg>", ""])


if sys.argv[1:] not in ([], ["--record"]):
    sys.exit(__doc__)
if sys.argv[1:]:
    TEXT.write_text(record([found for found in map(typed, TEXT.read_text().splitlines()) if found]))
for theme in THEMES:
    (FOLDER / f"conversation-{theme}.svg").write_text(draw(TEXT.read_text().splitlines(), theme))
