"""Finds Spark's jars in an installation, or in an archive of PySpark as it is
downloaded, which is read in place."""

import io
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from class_file import ClassFile, ClassFileError, read_class

# They have all classes of the standalone protocol and what these extend.
_NEEDED = re.compile(
    r"(?:spark-(?:core|launcher|network-common|common-utils|common-utils-java)_\d+\.\d+"
    r"|scala-library)-(?P<version>\d[^/]*)\.jar")
# Where installations and archives keep jars, below their own top.
_FOLDERS = ("jars", "deps/jars", "pyspark/jars", ".")
_DAMAGED = (EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


class JarsError(Exception):
    """There is no Spark where it was looked for, or it cannot be read."""


@dataclass
class SparkJars:
    """The classes of one Spark."""

    spark: str
    scala: str
    _jars: list[zipfile.ZipFile]
    _read: dict[str, ClassFile | None] = field(default_factory=dict)

    def find(self, name: str) -> ClassFile | None:
        """A class by its name with slashes."""
        if name not in self._read:
            self._read[name] = self._find(name + ".class")
        return self._read[name]

    def _find(self, entry: str) -> ClassFile | None:
        for jar in self._jars:
            try:
                return read_class(jar.read(entry))
            except KeyError:
                continue
            except (ClassFileError, *_DAMAGED) as error:
                raise JarsError(f"{entry} in {jar.filename}: {error}") from error
        return None


def open_spark(path: Path) -> SparkJars:
    """An installation's folder, that of an installed PySpark, a wheel or an sdist."""
    try:
        found = dict(_jars_in(path))
        jars = [zipfile.ZipFile(file) for file in found.values()]
    except OSError as error:
        raise JarsError(f"cannot be read: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise JarsError(f"is no folder, wheel or source archive: {error}") from error
    for jar, name in zip(jars, found):
        jar.filename = name
    return SparkJars(_version(found, "spark-core"), _scala_version(found), jars)


def _jars_in(path: Path) -> Iterator[tuple[str, Path | io.BytesIO]]:
    if path.is_dir():
        return _jars_of_folder(path)
    if zipfile.is_zipfile(path):
        return _jars_of_wheel(path)
    return _jars_of_sdist(path)


def _jars_of_folder(path: Path) -> Iterator[tuple[str, Path]]:
    for folder in _FOLDERS:
        jars = [x for x in sorted((path / folder).glob("*.jar")) if _NEEDED.fullmatch(x.name)]
        if jars:
            yield from ((x.name, x) for x in jars)
            return


def _jars_of_wheel(path: Path) -> Iterator[tuple[str, io.BytesIO]]:
    with zipfile.ZipFile(path) as wheel:
        for entry in wheel.namelist():
            if name := _needed_name(entry):
                yield name, io.BytesIO(wheel.read(entry))


def _jars_of_sdist(path: Path) -> Iterator[tuple[str, io.BytesIO]]:
    # A stream: going back in it would mean to decompress it again.
    with tarfile.open(path, "r|*") as sdist:
        for entry in sdist:
            if entry.isfile() and (name := _needed_name(entry.name)):
                file = sdist.extractfile(entry)
                assert file is not None  # because it is a file
                yield name, io.BytesIO(file.read())


def _needed_name(entry: str) -> str | None:
    path = PurePosixPath(entry)
    return path.name if path.parent.name == "jars" and _NEEDED.fullmatch(path.name) else None


def _version(names: dict[str, Path | io.BytesIO], artifact: str) -> str:
    versions = {match["version"] for name in names
                if name.startswith(artifact) and (match := _NEEDED.fullmatch(name))}
    if len(versions) != 1:
        raise JarsError(f"has {len(versions) or 'no'} jars of {artifact} below "
                        f"{', '.join(_FOLDERS[:-1])}")
    return versions.pop()


def _scala_version(names: dict[str, Path | io.BytesIO]) -> str:
    """Major and minor: those of one minor version are binary compatible."""
    return ".".join(_version(names, "scala-library").split(".")[:2])
