"""Reads class files of the JVM.

The Java Virtual Machine Specification, chapter 4, says what is in them. Kept is
what the Java Object Serialization Specification asks about a class: its name and
flags, super class, interfaces, fields, methods. Code is passed over.
"""

import enum
import struct
from dataclasses import dataclass


class ClassFileError(Exception):
    """The bytes are no class file, or one that is cut off."""


class Access(enum.IntFlag):
    """Access flags of classes, fields and methods; tables 4.1-B, 4.5-A, 4.6-A."""

    PUBLIC = 0x0001
    PRIVATE = 0x0002
    PROTECTED = 0x0004
    STATIC = 0x0008
    FINAL = 0x0010
    SYNCHRONIZED = 0x0020
    VOLATILE = 0x0040
    TRANSIENT = 0x0080
    NATIVE = 0x0100
    INTERFACE = 0x0200
    ABSTRACT = 0x0400
    STRICT = 0x0800


@dataclass(frozen=True)
class Member:
    """A field or a method."""

    access: int
    name: str
    descriptor: str
    constant: int | None = None
    """What a static field is set to without code, if that is a whole number."""

    def has(self, flag: Access) -> bool:
        return bool(self.access & flag)


@dataclass(frozen=True)
class ClassFile:
    """Names of classes are in the JVM's form, with slashes."""

    name: str
    access: int
    """As source code has it: of a nested class, not what the file says of itself."""
    super_name: str | None
    interfaces: tuple[str, ...]
    fields: tuple[Member, ...]
    methods: tuple[Member, ...]
    texts: tuple[str, ...] = ()
    """What stands between quotes in its code, in the order of its constants."""


def decode_text(data: bytes) -> str:
    """Modified UTF-8: a NUL has two bytes, and each half of a surrogate pair three."""
    try:
        return data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ClassFileError("a name is not in modified UTF-8") from error


def encode_text(text: str) -> bytes:
    """The bytes that decode_text reads."""
    return text.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def read_class(data: bytes) -> ClassFile:
    return _Reader(data).read()


# Bytes after the tag of a constant; a text (tag 1) says its length itself.
_CONSTANT_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4,
                   15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_TEXT, _INT, _LONG, _DOUBLE, _CLASS, _STRING = 1, 3, 5, 6, 7, 8


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._constants: dict[int, tuple[int, bytes]] = {}

    def read(self) -> ClassFile:
        if self._take(4) != b"\xca\xfe\xba\xbe":
            raise ClassFileError("it does not begin as a class file does")
        self._take(4)  # the version
        self._read_constants()
        access = self._u2()
        name = self._class_name(self._u2())
        super_index = self._u2()
        interfaces = [self._class_name(self._u2()) for _ in range(self._u2())]
        fields = self._members()
        methods = self._members()
        return ClassFile(name, self._access_as_nested(name, access),
                         self._class_name(super_index) if super_index else None,
                         tuple(interfaces), fields, methods, self._strings())

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at:self._at + size]
        if len(taken) != size:
            raise ClassFileError("it is cut off")
        self._at += size
        return taken

    def _u2(self) -> int:
        return int.from_bytes(self._take(2), "big")

    def _u4(self) -> int:
        return int.from_bytes(self._take(4), "big")

    def _read_constants(self) -> None:
        end = self._u2()
        index = 1
        while index < end:
            tag = self._take(1)[0]
            if tag != _TEXT and tag not in _CONSTANT_SIZES:
                raise ClassFileError(f"it has a constant of unknown kind {tag}")
            size = self._u2() if tag == _TEXT else _CONSTANT_SIZES[tag]
            self._constants[index] = (tag, self._take(size))
            # Those of eight bytes take two numbers.
            index += 2 if tag in (_LONG, _DOUBLE) else 1

    def _constant(self, index: int, tag: int) -> bytes:
        found, value = self._constants.get(index, (0, b""))
        if found != tag:
            raise ClassFileError(f"its constant {index} is not what is said of it")
        return value

    def _text(self, index: int) -> str:
        return decode_text(self._constant(index, _TEXT))

    def _class_name(self, index: int) -> str:
        return self._text(int.from_bytes(self._constant(index, _CLASS), "big"))

    def _strings(self) -> tuple[str, ...]:
        return tuple(self._text(int.from_bytes(value, "big"))
                     for tag, value in self._constants.values() if tag == _STRING)

    def _whole_number(self, index: int) -> int | None:
        tag, value = self._constants.get(index, (0, b""))
        return int.from_bytes(value, "big", signed=True) if tag in (_INT, _LONG) else None

    def _members(self) -> tuple[Member, ...]:
        return tuple(self._member() for _ in range(self._u2()))

    def _member(self) -> Member:
        access, name, descriptor = self._u2(), self._text(self._u2()), self._text(self._u2())
        constant = None
        for attribute, value in self._attributes():
            if attribute == "ConstantValue" and len(value) == 2:
                constant = self._whole_number(int.from_bytes(value, "big"))
        return Member(access, name, descriptor, constant)

    def _attributes(self) -> list[tuple[str, bytes]]:
        return [(self._text(self._u2()), self._take(self._u4())) for _ in range(self._u2())]

    def _access_as_nested(self, name: str, access: int) -> int:
        """The JVM knows no private or static classes: InnerClasses tells."""
        for attribute, value in self._attributes():
            if attribute != "InnerClasses":
                continue
            if len(value) % 8 != 2:
                raise ClassFileError("its attribute InnerClasses has no whole entries")
            for inner, _, _, inner_access in struct.iter_unpack(">4H", value[2:]):
                if self._class_name(inner) == name:
                    return inner_access
        return access
