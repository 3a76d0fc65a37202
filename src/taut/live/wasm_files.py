"""From an object file of WebAssembly to a module that browsers run, without a linker.

An object file of one translation unit is a module already: indices of functions stand in their places, addresses of
data count from zero. What is missing is memory and a stack pointer, which it imports, and exports; what a linker alone
reads is left out. Sections by their numbers as in the specification of WebAssembly.
"""

from __future__ import annotations

from collections.abc import Iterable

MAGIC = b"\0asm\1\0\0\0"
TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORY, GLOBALS, EXPORTS, ELEMENTS, CODE, DATA, DATA_COUNT = (
    *(1, 2, 3, 4, 5, 6, 7),
    *(9, 10, 11, 12),
)
ORDER = (TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORY, GLOBALS, EXPORTS, ELEMENTS, DATA_COUNT, CODE, DATA)
PAGE, STACK = 65536, 65536
UNDEFINED, NAMED = 0x10, 0x40


def unsigned(number: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def signed(number: int) -> bytes:
    """LEB128 of a number of either sign."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        done = (number == 0 and not low & 64) or (number == -1 and bool(low & 64))
        out.append(low | (0 if done else 128))
        if done:
            return bytes(out)


class Reader:
    """Bytes read one after another."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def more(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        result = shift = 0
        while True:
            one = self.byte()
            result |= (one & 127) << shift
            shift += 7
            if not one & 128:
                return result

    def part(self) -> bytes:
        """A length, and so many bytes."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> str:
        return self.part().decode()

    def limits(self) -> None:
        """Of a memory or a table; passed over."""
        if self.number() & 1:
            self.number()
        self.number()


def finished(made: bytes, exported: Iterable[str]) -> bytes:
    """The module of an object file, which exports these functions, `memory`, and `heap`, where free memory begins."""
    if made[:8] != MAGIC:
        raise ValueError("not an object file of WebAssembly")
    own, linking = _sections(made)
    points = _imported_stack(own[IMPORTS])
    places = _places(linking)
    bottom = -(-_data_end(own.get(DATA, b"\0")) // 16) * 16  # data, the stack that grows down to it, then the heap
    top = bottom + STACK
    pointer = [b"\x7f\1\x41" + signed(top) + b"\x0b"] if points else []
    heap = b"\x7f\0\x41" + signed(top) + b"\x0b"
    exports = [_named("memory") + b"\2\0", _named("heap") + b"\3" + unsigned(len(pointer))]
    exports += [_named(name) + b"\0" + unsigned(places[name]) for name in exported]
    own[MEMORY] = _listed([b"\0" + unsigned(top // PAGE + 1)])
    own[GLOBALS] = _listed([*pointer, heap])
    own[EXPORTS] = _listed(exports)
    del own[IMPORTS]
    return MAGIC + b"".join(bytes([key]) + unsigned(len(own[key])) + own[key] for key in ORDER if key in own)


def _sections(made: bytes) -> tuple[dict[int, bytes], bytes]:
    """Those that browsers read, by number, and that of the linker."""
    reader, own, linking = Reader(made, len(MAGIC)), dict[int, bytes](), b""
    while reader.more:
        key = reader.byte()
        content = reader.part()
        if key:
            own[key] = content
            continue
        custom = Reader(content)
        if custom.name() == "linking":
            linking = content[custom.at :]
    return own, linking


def _imported_stack(imports: bytes) -> bool:
    """Whether a stack pointer is asked for; raises where anything else is but memory and a table."""
    reader, found = Reader(imports), False
    for _ in range(reader.number()):
        reader.name()
        name, kind = reader.name(), reader.byte()
        if kind == 0:
            raise ValueError(f'the function "{name}" would have to be imported')
        if kind == 1:
            raise ValueError("functions are called by their addresses, for which there is no table")
        if kind == 2:
            reader.limits()
        elif name != "__stack_pointer":
            raise ValueError(f'the global "{name}" would have to be imported')
        else:
            reader.at += 2
            found = True
    return found


def _places(linking: bytes) -> dict[str, int]:
    """The indices of functions by name, from the linker's table of symbols."""
    reader, found = Reader(linking), dict[str, int]()
    reader.number()  # its version
    while reader.more:
        kind, table = reader.byte(), Reader(reader.part())
        if kind != 8:
            continue
        for _ in range(table.number()):
            symbol, flags = table.byte(), table.number()
            if symbol == 1:  # data
                table.part()
                if not flags & UNDEFINED:
                    table.at += sum(1 for _ in range(3) if table.number() >= 0) * 0
            elif symbol in (0, 2, 4, 5):
                index = table.number()
                name = table.name() if not flags & UNDEFINED or flags & NAMED else ""
                if symbol == 0 and not flags & UNDEFINED:
                    found[name] = index
            else:
                table.number()
    return found


def _data_end(data: bytes) -> int:
    reader, end = Reader(data), 0
    for _ in range(reader.number()):
        if reader.number() != 0 or reader.byte() != 0x41:
            raise ValueError("data without an address")
        at = reader.number()
        reader.byte()  # the end of the address
        end = max(end, at + len(reader.part()))
    return end


def _named(text: str) -> bytes:
    return unsigned(len(text)) + text.encode()


def _listed(items: list[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)
