# SPDX-License-Identifier: GPL-2.0
"""What a terminal shows: as much of xterm as ncurses uses of it. Anything else is an error."""
import codecs
import re

SEQUENCE = re.compile(r"\x1b(?:\[([?!]?)([\d;]*)([@-~])|\(B|[=>M])")
BEGUN = re.compile(r"\x1b(?:\[[?!]?[\d;]*|\()?$")


class Screen:
    def __init__(self, rows=24, columns=80):
        self.rows, self.columns = rows, columns
        self.decode = codecs.getincrementaldecoder("utf8")().decode
        self.rest = ""
        self.at = [0, 0]
        self.region = (0, rows)     # what scrolls
        self.clear()

    def blank(self, count):
        return [[" "] * self.columns for _ in range(count)]

    def clear(self):
        self.cells = self.blank(self.rows)

    def lines(self):
        """Without their ends, and without those below the last one that has text."""
        return "\n".join("".join(row).rstrip() for row in self.cells).rstrip("\n").split("\n")

    def feed(self, data):
        text = self.rest + self.decode(data)
        self.rest, at = "", 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
            elif m := SEQUENCE.match(text, at):
                if m[3]:
                    self.obey(m[1], [int(n) for n in m[2].split(";") if n], m[3])
                elif m[0] == "\x1bM":
                    self.up()
                at = m.end()
            elif BEGUN.match(text, at):
                self.rest, at = text[at:], len(text)
            else:
                raise ValueError(f"{text[at:]!r} in a terminal")

    def put(self, char):
        row, column = self.at
        if char == "\r":
            self.at[1] = 0
        elif char == "\b":
            self.at[1] = max(min(column, self.columns - 1) - 1, 0)
        elif char == "\n":
            self.down()
        elif char == "\t":
            self.to(row, (column // 8 + 1) * 8)
        elif char < " ":
            raise ValueError(f"{char!r} in a terminal")
        else:
            if column == self.columns:
                row, column = min(row + 1, self.rows - 1), 0
            self.last = self.cells[row][column] = char
            self.at = [row, column + 1]

    def down(self):
        if self.at[0] + 1 == self.region[1]:
            self.scroll(self.region[0], 1)
        else:
            self.to(self.at[0] + 1, self.at[1])

    def up(self):
        if self.at[0] == self.region[0]:
            self.scroll(self.region[0], -1)
        else:
            self.to(self.at[0] - 1, self.at[1])

    def scroll(self, top, n):
        """The lines from there to the end of the region go up, or down."""
        part = self.cells[top:self.region[1]]
        count = min(abs(n), len(part))
        self.cells[top:self.region[1]] = (part[count:] + self.blank(count) if n > 0 else
                                          self.blank(count) + part[:len(part) - count])

    def to(self, row, column):
        self.at = [min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)]

    def obey(self, private, numbers, what):
        row, column = self.at
        column = min(column, self.columns - 1)
        n = max(numbers[0] if numbers else 0, 1)
        cells, mode = self.cells[row], numbers[0] if numbers else 0
        if what in "hlmt" or private:
            return              # modes, colours, and the name of the window
        if what == "H":
            self.to(n - 1, numbers[1] - 1 if len(numbers) > 1 else 0)
        elif what in "ABCD":
            self.to(row + {"A": -n, "B": n}.get(what, 0), column + {"C": n, "D": -n}.get(what, 0))
        elif what == "G":
            self.to(row, n - 1)
        elif what == "d":
            self.to(n - 1, column)
        elif what == "J" and mode == 2:
            self.clear()
        elif what in "JK" and mode == 0:
            cells[column:] = [" "] * (self.columns - column)
            for below in self.cells[row + 1:] if what == "J" else ():
                below[:] = [" "] * self.columns
        elif what == "K" and mode == 1:
            cells[:column + 1] = [" "] * (column + 1)
        elif what == "X":
            cells[column:column + n] = [" "] * min(n, self.columns - column)
        elif what == "@":
            cells[column:] = ([" "] * n + cells[column:])[:self.columns - column]
        elif what == "P":
            cells[column:] = (cells[column + n:] + [" "] * n)[:self.columns - column]
        elif what == "b":
            for _ in range(n):
                self.put(self.last)
        elif what in "LM":
            self.scroll(row, n if what == "M" else -n)
        elif what in "ST":
            self.scroll(self.region[0], n if what == "S" else -n)
        elif what == "r":
            self.region = (n - 1, numbers[1]) if len(numbers) > 1 else (0, self.rows)
            self.at = [0, 0]
        else:
            raise ValueError(f"{numbers} {what} in a terminal")
