# SPDX-License-Identifier: GPL-2.0
"""Mutants of C: a source with one small mistake, as somebody might make it

mutants(name, text) finds all that the rules below know of. Which of them a run takes is
decided by order(): by a hash of what the mutant is, so that a change elsewhere in the file
leaves the choice, what is cached and what was judged by hand as they are.
"""
import hashlib
import re
from bisect import bisect_right
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\d\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

# "a < b", and what else it might have said.
SWAPS = {
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "comparison": {"==": "!=", "!=": "==", "<": ">", ">": "<"},
    "logic": {"&&": "||", "||": "&&"},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=",
                   "|=": "&=", "&=": "|=", "++": "--", "--": "++"},
    "extreme": {"min": "max", "max": "min", "min_t": "max_t", "max_t": "min_t"},
    "constant": {"true": "false", "false": "true",
                 "GPREEMPT_IDLE": "GPREEMPT_BLOCKED", "GPREEMPT_BLOCKED": "GPREEMPT_IDLE",
                 "GPREEMPT_RUNNING": "GPREEMPT_RUNNABLE",
                 "GPREEMPT_RUNNABLE": "GPREEMPT_RUNNING"},
}
# What becomes of a mutant, if it is one.
KILLED, SURVIVED, EQUAL, NONE = "killed", "survived", "equivalent", "none"
OPENS, CLOSES = "([{", ")]}"
# Before these a "-", "*" or "&" has one operand; a word like them ends no operand either.
PREFIXED = {"return", "case", "sizeof"}
TAGGED = {"struct", "enum", "union"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


class Mutant(NamedTuple):
    room: str
    line: int
    rule: str
    was: str            # the line, and what of it is replaced
    old: str
    new: str
    start: int
    ident: str

    def apply(self, text):
        return text[:self.start] + self.new + text[self.start + len(self.old):]

    def __str__(self):
        old, new = (" ".join(part.split()) or "nothing" for part in (self.old, self.new))
        return f"{self.room}:{self.line}: {self.rule}: {old} -> {new}, in: {self.was}"


def tokens(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text)
            if m.lastgroup != "skip"]


def partners(found):
    """The index of each bracket's other one."""
    other, stack = {}, []
    for i, token in enumerate(found):
        if token.text in OPENS:
            stack.append(i)
        elif token.text in CLOSES:
            other[i] = stack.pop()
            other[other[i]] = i
    return other


class Finder:
    """Finds the mutants of one source; a find is (rule, start, end, what is put there)."""

    def __init__(self, text):
        self.text = text
        self.found = tokens(text)
        self.other = partners(self.found)
        self.body = self.bodies()

    def bodies(self):
        """Is a token inside of a function? Mutants of declarations do not compile, mostly."""
        inside, end = [], -1
        for i, token in enumerate(self.found):
            if i > end and token.text == "{" and self.found[i - 1].text == ")":
                end = self.other[i]
            inside.append(i < end)
        return inside

    def is_binary(self, i):
        if self.found[i - 2].text in TAGGED:
            return False        # "struct queue *q"
        before = self.found[i - 1]
        return before.text in (")", "]") or \
            before.kind in ("name", "number") and before.text not in PREFIXED

    def span(self, first, last):
        return self.found[first].start, self.found[last].end

    def operand_end(self, i, step, ends):
        """From token i on, in steps: the last one of the operand."""
        while True:
            token = self.found[i]
            opens = OPENS if step > 0 else CLOSES
            closes = CLOSES if step > 0 else OPENS
            if token.text in closes or token.text in ends:
                return i - step
            if token.text in opens:
                i = self.other[i]
            i += step

    def swaps(self, i):
        token = self.found[i]
        for rule, table in SWAPS.items():
            new = table.get(token.text)
            if not new or (token.text in ("+", "-", "*", "/", "<", ">") and not self.is_binary(i)):
                continue
            if rule == "arithmetic" and token.text == "*" and self.found[i + 1].text in (",", ")"):
                continue
            yield rule, token.start, token.end, new

    def numbers(self, i):
        token = self.found[i]
        if token.kind == "number" and re.fullmatch(r"\d+", token.text):
            yield "constant", token.start, token.end, str(int(token.text) + 1)
            if token.text != "0":
                yield "constant", token.start, token.end, str(int(token.text) - 1)

    def negations(self, i):
        if self.found[i].text == "!":
            yield "negation", self.found[i].start, self.found[i].end, ""

    def conditions(self, i):
        """if (x): never, always, if (!(x))."""
        if self.found[i].text not in ("if", "while") or self.found[i + 1].text != "(":
            return
        start, end = self.found[i + 1].end, self.found[self.other[i + 1]].start
        yield "condition", start, end, f"!({self.text[start:end]})"
        if self.found[i].text == "if":
            yield "condition", start, end, "0"
            yield "condition", start, end, "1"

    def operands(self, i):
        """Of "a && b" one is dropped."""
        if self.found[i].text not in ("&&", "||"):
            return
        ends = ("&&", "||", "?", ":", ";", ",", "=", "|=", "&=", "return")
        yield "operand", self.found[i].start, \
            self.found[self.operand_end(i + 1, 1, ends)].end, ""
        yield "operand", self.found[self.operand_end(i - 1, -1, ends)].start, \
            self.found[i].end, ""

    def indices(self, i):
        if self.found[i].text != "[" or not self.is_binary(i) or \
                self.found[self.other[i] - 1].kind == "number":
            return
        start, end = self.found[i].end, self.found[self.other[i]].start
        if start < end:
            yield "index", start, end, "0"

    def statements(self, i):
        """A call, an assignment, or a way out of the function or the loop is dropped."""
        token = self.found[i]
        if token.kind != "name" or self.found[i - 1].text not in (";", "{", "}", ")", "else"):
            return
        if self.found[i - 1].text == ")" and self.is_call(i - 1):
            return
        last = self.operand_end(i, 1, (";",))
        if self.found[last + 1].text != ";":
            return
        words = {t.text for t in self.found[i:last + 1]}
        if token.text in ("continue", "break") or (token.text == "return" and last == i):
            yield "statement", *self.span(i, last), ""
        elif self.found[i + 1].text == "(" and self.other[i + 1] == last:
            yield "call", *self.span(i, last), ""
        elif self.found[i + 1].text in ("->", ".", "[", "=", "+=", "-=", "|=", "&=") and \
                words & {"=", "+=", "-=", "|=", "&="}:
            yield "statement", *self.span(i, last), ""

    def is_call(self, i):
        """Does this bracket close a call's arguments, and no condition?"""
        return self.found[self.other[i] - 1].text not in ("if", "while", "for", "switch")

    def finds(self):
        rules = (self.swaps, self.numbers, self.negations, self.conditions, self.operands,
                 self.indices, self.statements)
        for i, inside in enumerate(self.body):
            if inside:
                for rule in rules:
                    yield from rule(i)


def mutants(room, text):
    """All of a source. Its ident tells a mutant by the line's text, not by its number."""
    lines = [0] + [m.end() for m in re.finditer("\n", text)]
    functions = [(m.start(), m.group(1))
                 for m in re.finditer(r"^\w[^;\n]*?\b(\w+)\(", text, re.MULTILINE)]
    seen, result = {}, []
    for rule, start, end, new in Finder(text).finds():
        line = bisect_right(lines, start)
        was = text[lines[line - 1]:].split("\n", 1)[0]
        function = [name for at, name in functions if at <= start][-1]
        what = (room, function, was.strip(), rule, start - lines[line - 1] -
                (len(was) - len(was.lstrip())), text[start:end], new)
        seen[what] = seen.get(what, 0) + 1
        ident = hashlib.sha256(repr((what, seen[what])).encode()).hexdigest()[:12]
        result.append(Mutant(room, line, rule, was.strip(), text[start:end], new, start, ident))
    return result


def code_lines(text):
    return len({text.count("\n", 0, token.start) for token in tokens(text)})


def order(found, seed):
    """The same in the order in which they are drawn."""
    return sorted(found, key=lambda m: hashlib.sha256(f"{seed} {m.ident}".encode()).digest())
