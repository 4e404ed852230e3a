"""How objects of a class are described in a stream of Java objects.

Java Object Serialization Specification: section 4.6 for the serialVersionUID of
a class that declares none, 6.4.1 for flags, 1.5 and 4.2 for fields, 1.12 and 1.13
for enums and records.
"""

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from class_file import Access, ClassFile, Member, encode_text

WRITE_METHOD, SERIALIZABLE, EXTERNALIZABLE, BLOCK_DATA, ENUM = 0x01, 0x02, 0x04, 0x08, 0x10


class LayoutError(Exception):
    """The class files do not tell how a class is described."""


@dataclass(frozen=True)
class Field:
    name: str
    descriptor: str

    @property
    def is_primitive(self) -> bool:
        return self.descriptor[0] not in "L["


@dataclass(frozen=True)
class Layout:
    """What the descriptor of a class says; names of classes have dots."""

    id: int
    flags: int
    fields: tuple[Field, ...]
    super_name: str | None


FindClass = Callable[[str], ClassFile | None]


@dataclass
class Layouts:
    """Describes classes that `find` has, by names with slashes. Of the JDK's own
    classes it needs to know no more than which are Serializable."""

    find: FindClass
    jdk_serializable: frozenset[str]
    _kinds: dict[str, frozenset[str]] = field(default_factory=dict)

    def describe(self, name: str) -> Layout | None:
        """None if there is no such class, or it is not Serializable."""
        found = self.find(name.replace(".", "/"))
        if found is None or not self._is(found.name, "java/io/Serializable"):
            return None
        above = self._serializable_super(found)
        if self._is(found.name, "java/lang/Enum"):
            return Layout(0, SERIALIZABLE | ENUM, (), above)
        uid = serial_version(found)
        if self._is(found.name, "java/io/Externalizable"):
            return Layout(uid, EXTERNALIZABLE | BLOCK_DATA, (), above)
        flags = SERIALIZABLE | (WRITE_METHOD if _has_write_object(found) else 0)
        return Layout(uid, flags, _stream_fields(found), above)

    def _serializable_super(self, of: ClassFile) -> str | None:
        above = of.super_name
        if above is None or not self._is(above, "java/io/Serializable"):
            return None
        return above.replace("/", ".")

    def _is(self, name: str, kind: str) -> bool:
        return kind in self._kinds_of(name)

    def _kinds_of(self, name: str) -> frozenset[str]:
        """All that a class is: itself, its super classes, their interfaces."""
        known = self._kinds.get(name)
        if known is not None:
            return known
        kinds = {name}
        found = self.find(name)
        if found is not None:
            self._kinds[name] = frozenset(kinds)  # for files that go round in a circle
            above = [found.super_name] if found.super_name else []
            for parent in (*above, *found.interfaces):
                kinds |= self._kinds_of(parent)
        elif name in self.jdk_serializable:
            kinds.add("java/io/Serializable")
        elif not name.startswith(("java/", "javax/")):
            raise LayoutError(f"no jar has the class {name.replace('/', '.')}")
        self._kinds[name] = frozenset(kinds)
        return self._kinds[name]


def serial_version(of: ClassFile) -> int:
    """The declared serialVersionUID, or the default one."""
    for member in of.fields:
        is_constant = member.has(Access.STATIC) and member.has(Access.FINAL)
        if member.name == "serialVersionUID" and is_constant:
            if member.constant is None:
                raise LayoutError(f"{of.name.replace('/', '.')} computes its serialVersionUID")
            return member.constant
    if of.super_name == "java/lang/Record":
        return 0
    return default_serial_version(of)


_CLASS_FLAGS = Access.PUBLIC | Access.FINAL | Access.INTERFACE | Access.ABSTRACT
_FIELD_FLAGS = (Access.PUBLIC | Access.PRIVATE | Access.PROTECTED | Access.STATIC
                | Access.FINAL | Access.VOLATILE | Access.TRANSIENT)
_METHOD_FLAGS = (Access.PUBLIC | Access.PRIVATE | Access.PROTECTED | Access.STATIC
                 | Access.FINAL | Access.SYNCHRONIZED | Access.NATIVE | Access.ABSTRACT
                 | Access.STRICT)


def default_serial_version(of: ClassFile) -> int:
    """The first eight bytes of a SHA-1, the lowest first."""
    digest = hashlib.sha1(_hashed(of), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


def _hashed(of: ClassFile) -> bytes:
    """What the default serialVersionUID is the digest of, in the order of 4.6."""
    parts = [_utf(of.name.replace("/", ".")), struct.pack(">i", _class_flags(of))]
    parts += [_utf(name) for name in sorted(x.replace("/", ".") for x in of.interfaces)]
    for member in sorted(of.fields, key=lambda x: x.name):
        hidden = member.has(Access.STATIC) or member.has(Access.TRANSIENT)
        if not (member.has(Access.PRIVATE) and hidden):
            parts.append(_member(member, _FIELD_FLAGS, member.descriptor))
    if any(x.name == "<clinit>" for x in of.methods):
        parts.append(_utf("<clinit>") + struct.pack(">i", Access.STATIC) + _utf("()V"))
    callable_ones = [x for x in of.methods
                     if x.name != "<clinit>" and not x.has(Access.PRIVATE)]
    # Constructors come first, then methods by their names.
    callable_ones.sort(key=lambda x: (x.name != "<init>", x.name, x.descriptor))
    parts += [_member(x, _METHOD_FLAGS, x.descriptor.replace("/", ".")) for x in callable_ones]
    return b"".join(parts)


def _class_flags(of: ClassFile) -> int:
    flags = of.access & _CLASS_FLAGS
    if not flags & Access.INTERFACE:
        return flags
    # Compilers did not agree on whether an interface without methods is abstract.
    if any(x.name not in ("<clinit>", "<init>") for x in of.methods):
        return flags | Access.ABSTRACT
    return flags & ~Access.ABSTRACT


def _member(member: Member, mask: int, signature: str) -> bytes:
    return _utf(member.name) + struct.pack(">i", member.access & mask) + _utf(signature)


def _utf(text: str) -> bytes:
    data = encode_text(text)
    return struct.pack(">H", len(data)) + data


def _has_write_object(of: ClassFile) -> bool:
    return any(x.name == "writeObject" and x.descriptor == "(Ljava/io/ObjectOutputStream;)V"
               and x.has(Access.PRIVATE) and not x.has(Access.STATIC) for x in of.methods)


def _stream_fields(of: ClassFile) -> tuple[Field, ...]:
    """Primitive ones first, both kinds by their names."""
    if any(x.name == "serialPersistentFields" and x.has(Access.STATIC) for x in of.fields):
        raise LayoutError(f"{of.name.replace('/', '.')} chooses its fields when it runs")
    fields = [Field(x.name, x.descriptor) for x in of.fields
              if not x.has(Access.STATIC) and not x.has(Access.TRANSIENT)]
    return tuple(sorted(fields, key=lambda x: (not x.is_primitive, x.name)))
