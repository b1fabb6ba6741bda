"""The outline of a C++ source: its types with their fields and its functions with their bodies.

Reads by tokens and braces, without a compiler: macros are not expanded, `#if` branches are all read. That is enough to
count; a tool that must be right about one declaration needs more.
"""
import bisect
import dataclasses
import re

# Comments, string and character literals, preprocessor lines: what no brace in counts.
_OPAQUE = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*',
    re.DOTALL | re.MULTILINE)
_BRACE = re.compile(r'[{};]')
_TYPE = re.compile(r'^(?:template\s*<.*>\s*)?(?:typedef\s+)?(struct|class|union|enum(?:\s+(?:class|struct))?)\b'
                   r'(?:\s*\[\[.*?\]\])?(?:\s*alignas\s*\([^)]*\))?\s*([A-Za-z_]\w*(?:::\w+)*)?', re.DOTALL)
_ACCESS = re.compile(r'^(?:\s*(?:public|private|protected)\s*:(?!:))+')
_OPERATOR = re.compile(r'operator\s*(?:\(\s*\)|[^\s\w(]+|[\w:<>*& ]+?)\s*(?=\()')
_NAME = re.compile(r'((?:[A-Za-z_]\w*(?:<[^<>()]*>)?\s*::\s*)*~?[A-Za-z_]\w*)\s*$')
_NOT_FUNCTIONS = {'if', 'for', 'while', 'switch', 'return', 'catch', 'sizeof', 'alignas', 'decltype', 'requires',
                  'noexcept', 'explicit', 'static_assert', '__attribute__', '__launch_bounds__', 'asm'}


@dataclasses.dataclass
class Function:
    name: str          # unqualified: `run`, `~Lane`, `operator==`
    owner: str         # the class that it is a member of, '' for a free function
    line: int          # of its first token
    lines: int         # first token to closing brace
    local: bool        # in an unnamed namespace or `static`: not seen by other files


@dataclasses.dataclass
class Type:
    kind: str          # struct, class, union, enum
    name: str
    line: int
    nested: bool
    fields: dict = dataclasses.field(default_factory=dict)  # name -> type as written
    bases: list = dataclasses.field(default_factory=list)
    pure: bool = False  # has a pure virtual function


@dataclasses.dataclass
class Outline:
    types: list
    functions: list
    includes: list     # ("base/text.h", is it in quotes)


def blanked(text):
    """`text` with comments, literals and preprocessor lines as spaces, line breaks kept."""
    def spaces(match):
        found = match.group()
        if found[0] in '"\'R':
            return '0' + re.sub(r'[^\n]', ' ', found[1:])
        return re.sub(r'[^\n]', ' ', found)
    return _OPAQUE.sub(spaces, text)


def _closing(code, at):
    """Where the brace that opens at `at` closes; the end of the text if it does not."""
    depth = 0
    for match in re.compile(r'[{}]').finditer(code, at):
        depth += 1 if match.group() == '{' else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def _top_level(head, opening, closing):
    """`head` with what stands between brackets blanked, the brackets kept."""
    out, depth = [], 0
    for char in head:
        if char in closing:
            depth = max(0, depth - 1)
        out.append(char if depth == 0 else ' ')
        if char in opening:
            depth += 1
    return ''.join(out)


def _function_head(head):
    """(qualified name, is it static) where `head` is that of a function's definition; None otherwise."""
    operator = _OPERATOR.search(head)
    if operator:
        before, name = head[:operator.start()], re.sub(r'\s+', '', operator.group())
        if '=' in before:
            return None
        qualified = re.search(r'((?:\w+(?:<[^<>]*>)?::)*)$', before).group() + name
        return qualified, bool(re.search(r'\bstatic\b', before))
    flat = _top_level(_top_level(head, '(', ')'), '<', '>') if 'template' in head else _top_level(head, '(', ')')
    flat = re.sub(r'\b(?:requires|noexcept|explicit|decltype|alignas|__attribute__|__launch_bounds__)\s*\( *\s*\)', ' ',
                  flat)
    flat = re.sub(r'\[\[.*?\]\]', ' ', flat, flags=re.DOTALL)
    start = flat.find('(')
    if start < 0 or '=' in flat[:start]:
        return None
    named = _NAME.search(flat[:start])
    if not named:
        return None
    name = re.sub(r'\s+|<[^<>]*>', '', named.group(1))
    if name.split('::')[-1] in _NOT_FUNCTIONS:
        return None
    return name, bool(re.search(r'\bstatic\b', flat[:start]))


def _initialises_a_member(head):
    """Whether the brace after `head` belongs to a member in a constructor's list: `) : a_(1), b_{`."""
    flat = _top_level(head, '(', ')')
    listed = re.search(r'\)\s*(?:noexcept\s*)?:(?!:)', flat)
    return bool(listed) and re.search(r'[\w>]\s*$', head) is not None and not re.search(
        r'[)}]\s*(?:const|noexcept|override|final|try)?\s*$', head)


def _fields_of(statement):
    """(name, type) pairs that a statement of a class's body declares; none if it declares something else."""
    flat = _top_level(_top_level(statement, '({[', ')}]'), '<', '>')
    flat = re.sub(r'\[\[.*?\]\]|\{\s*\}|\[\s*\]', ' ', flat)
    flat = re.sub(r'=[^,]*', '', flat)
    if '(' in flat or re.match(r'\s*(?:using|friend|typedef|static|template|enum|struct|class|union|return)\b', flat):
        return []
    match = re.match(r'\s*((?:(?:const|mutable|inline|volatile|unsigned|signed|long|short)\s+)*'
                     r'[A-Za-z_][\w:]*(?:<\s*>)?(?:::\w+)*[\s*&]+(?:const\s+)?)([A-Za-z_]\w*(?:\s*:\s*\w+)?'
                     r'(?:\s*,\s*[A-Za-z_]\w*)*)\s*$', flat)
    if not match:
        return []
    kind = re.sub(r'\s+', ' ', statement.strip()[:max(0, len(match.group(1).strip()))])
    return [(re.split(r'[:\s]', name.strip())[0], kind) for name in match.group(2).split(',')]


class _Reader:
    def __init__(self, code):
        self.code = code
        self.types = []
        self.functions = []
        self.breaks = [match.start() for match in re.finditer('\n', code)]

    def line_at(self, offset):
        return bisect.bisect_left(self.breaks, offset) + 1

    def read(self, begin, end, owner, local, into):
        """Statements of a namespace or class body; `into` is the Type whose body it is, or None."""
        head_at = at = begin
        while True:
            match = _BRACE.search(self.code, at, end)
            if not match:
                return
            at = match.end()
            raw = self.code[head_at:match.start()]
            head = _ACCESS.sub('', raw).strip()
            if match.group() == '}':
                head_at = at
            elif match.group() == ';':
                if into is not None:
                    into.pure = into.pure or re.search(r'\bvirtual\b.*=\s*0$', head, re.DOTALL) is not None
                    for name, kind in _fields_of(head):
                        into.fields[name] = kind
                head_at = at
            elif head.count('(') > head.count(')') or _initialises_a_member(head):
                at = _closing(self.code, match.start()) + 1
            else:
                at, head_at = self.block(head, head_at, match.start(), owner, local, into)

    def block(self, head, head_at, brace, owner, local, into):
        """Reads what the brace opens; (where to go on, where the next statement begins)."""
        close = _closing(self.code, brace)
        first = head_at + len(self.code[head_at:brace]) - len(self.code[head_at:brace].lstrip())
        if re.match(r'(?:inline\s+)?namespace\b', head) or re.match(r'extern\s+\S+$', head):
            unnamed = re.search(r'namespace\s*$', head) is not None
            self.read(brace + 1, close, owner, local or unnamed, None)
            return close + 1, close + 1
        kind = _TYPE.match(head)
        if kind and _function_head(re.sub(r'alignas\s*\([^)]*\)|__\w+__\s*\(.*?\)|\[\[.*?\]\]', '', head)) is None:
            return self.type_body(kind, head, first, brace, close, local, into)
        function = _function_head(head)
        if function:
            parts = function[0].split('::')
            member = owner or (parts[-2] if len(parts) > 1 else '')
            self.functions.append(Function(parts[-1], member, self.line_at(first),
                                           self.line_at(close) - self.line_at(first) + 1,
                                           local or (function[1] and not owner)))
            return close + 1, close + 1
        return close + 1, head_at  # an initialiser: the statement goes on to its semicolon

    def type_body(self, kind, head, first, brace, close, local, into):
        word = kind.group(1).split()[0]
        one = Type(word, (kind.group(2) or '').split('::')[-1], self.line_at(first), into is not None)
        if word != 'enum':
            colon = re.search(r'(?<!:):(?!:)', head[kind.end():])
            if colon:
                listed = _top_level(head[kind.end() + colon.end():], '<', '>').split(',')
                one.bases = [re.sub(r'\b(?:public|private|protected|virtual)\b|<\s*>|\s', '', base).split('::')[-1]
                             for base in listed]
            self.read(brace + 1, close, one.name or 'unnamed', local, one)
        if one.name:
            self.types.append(one)
        return close + 1, close + 1


def outline(text):
    """The Outline of a source's text."""
    includes = [(match.group(2), match.group(1) == '"')
                for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', text, re.MULTILINE)]
    code = blanked(text)
    reader = _Reader(code)
    reader.read(0, len(code), '', False, None)
    return Outline(reader.types, reader.functions, includes)
