#!/usr/bin/env python3
"""Runs a command in a terminal of 80 columns and draws what it leaves on the screen as SVG.

  terminal_svg.py OUT.svg 'warpmind optimize tasks/row_softmax_f16 --evaluations 3' [SHOWN]

SHOWN is the command as the picture spells it. Lines that were rewritten, such as progress, appear as
they ended. Understands what the client prints: text, \\r, \\n, SGR colours and erase to end of line.
"""

import html
import os
import pty
import re
import struct
import sys
import fcntl
import termios

COLUMNS, CELL_W, CELL_H, PAD = 80, 8.43, 19, 16
COLOURS = {30: "#6e7681", 31: "#f85149", 32: "#3fb950", 33: "#d29922", 34: "#58a6ff", 35: "#bc8cff",
           36: "#39c5cf", 37: "#c9d1d9", 90: "#8b949e"}
TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\x1b\][^\x07]*\x07|(\r\n|\n|\r)|([^\x1b\r\n])", re.S)


def run_in_terminal(command):
    """Everything that the command wrote, and its exit code."""
    child, master = pty.fork()
    if child == 0:
        os.execvp("/bin/sh", ["/bin/sh", "-c", command])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    written = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    return written.decode("utf-8", "replace"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def screen_of(text):
    """Rows of (character, style); style is (colour, bold, dim)."""
    rows, row, column, style = [], [], 0, (None, False, False)
    for code, final, end, letter in TOKEN.findall(text):
        if final == "m":
            style = styled(style, code)
        elif final == "K":
            del row[column:]
        elif end == "\r":
            column = 0
        elif end:
            rows.append(row)
            row, column = [], 0
        elif letter:
            row.extend([(" ", (None, False, False))] * (column + 1 - len(row)))
            row[column] = (letter, style)
            column += 1
    if row:
        rows.append(row)
    return rows


def styled(style, code):
    colour, bold, dim = style
    for number in (int(part or 0) for part in code.split(";")):
        if number == 0:
            colour, bold, dim = None, False, False
        elif number == 1:
            bold = True
        elif number == 2:
            dim = True
        elif number in COLOURS:
            colour = COLOURS[number]
    return colour, bold, dim


def spans(row):
    start = 0
    for at in range(1, len(row) + 1):
        if at == len(row) or row[at][1] != row[start][1]:
            yield start, "".join(letter for letter, _ in row[start:at]), row[start][1]
            start = at


def draw(rows):
    width = COLUMNS * CELL_W + 2 * PAD
    height = len(rows) * CELL_H + 2 * PAD + 18
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
           '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>']
    out += [f'<circle cx="{PAD + 4 + 18 * i}" cy="16" r="5" fill="{c}"/>'
            for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))]
    out.append('<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" '
               'font-size="14" fill="#c9d1d9" xml:space="preserve">')
    for number, row in enumerate(rows):
        y = PAD + 18 + (number + 1) * CELL_H - 5
        for start, text, (colour, bold, dim) in spans(row):
            if not text.strip():
                continue
            marks = (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if bold else "")
            marks += ' opacity="0.6"' if dim else ""
            out.append(f'<text x="{PAD + start * CELL_W:.1f}" y="{y}" textLength="{len(text) * CELL_W:.1f}"'
                       f'{marks}>{html.escape(text)}</text>')
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    output, command = sys.argv[1], sys.argv[2]
    text, code = run_in_terminal(command)
    if code != 0:
        sys.exit(f"{text}\n`{command}` ended with exit code {code}; no picture was written")
    shown = sys.argv[3] if len(sys.argv) == 4 else command
    prompt = [("$", (COLOURS[32], True, False)), (" ", (None, False, False))]
    prompt += [(letter, (None, True, False)) for letter in shown]
    with open(output, "w", encoding="utf-8") as file:
        file.write(draw([prompt] + screen_of(text)))


if __name__ == "__main__":
    main()
