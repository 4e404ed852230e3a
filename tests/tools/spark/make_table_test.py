"""How classes are described is read from their files as the JVM would say it.

The ids are those that the JDK's `serialver` printed for classes/Shapes.java, the
fields those of its ObjectStreamClass.
"""

import io
import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOL = HERE.parents[2] / "tools" / "spark"
sys.path.insert(0, str(TOOL))

from class_file import ClassFile, ClassFileError, decode_text, encode_text, read_class  # noqa: E402
from jars import JarsError, open_spark  # noqa: E402
from serial_version import Field, Layout, LayoutError, Layouts  # noqa: E402

JDK = frozenset(["java/io/Serializable", "java/io/Externalizable", "java/lang/Enum"])
SQUARE_FIELDS = (Field("filled", "Z"), Field("side", "I"), Field("bytes", "[B"),
                 Field("name", "Ljava/lang/String;"))


def bytes_of(name: str) -> bytes:
    return (HERE / "classes" / f"{name}.class").read_bytes()


def find(name: str) -> ClassFile | None:
    path = HERE / "classes" / f"{name}.class"
    return read_class(path.read_bytes()) if path.exists() else None


def describe(name: str) -> Layout | None:
    return Layouts(find, JDK).describe("Shapes$" + name)


class ClassesAreDescribedAsTheJvmDescribesThem(unittest.TestCase):
    def test_fields_are_sorted_and_super_classes_that_are_not_serializable_left_out(self):
        self.assertEqual(describe("Square"), Layout(6358845480941059195, 2, SQUARE_FIELDS, None))

    def test_a_declared_id_counts_and_write_object_is_a_flag(self):
        self.assertEqual(describe("Cube"), Layout(-81, 3, (Field("height", "J"),), "Shapes$Square"))

    def test_an_externalizable_class_has_no_fields(self):
        self.assertEqual(describe("Own"), Layout(-2816217073364409360, 12, (), None))

    def test_enums_have_no_id(self):
        self.assertEqual(describe("Colour"), Layout(0, 18, (), "java.lang.Enum"))
        self.assertEqual(describe("Colour$1"), Layout(0, 18, (), "Shapes$Colour"))

    def test_records_have_no_default_id(self):
        fields = (Field("left", "I"), Field("right", "Ljava/lang/String;"))
        self.assertEqual(describe("Pair"), Layout(0, 2, fields, None))

    def test_an_interface_is_abstract_only_if_it_has_methods(self):
        self.assertEqual(describe("Marked"), Layout(5094976539300416624, 2, (), None))

    def test_names_are_hashed_as_modified_utf8_in_the_order_of_utf16(self):
        self.assertEqual(describe("Words"), Layout(4947754785825460225, 2, (), None))

    def test_what_is_not_there_or_not_serializable_has_no_description(self):
        self.assertIsNone(describe("NotSerializable"))
        self.assertIsNone(describe("Measured"))
        self.assertIsNone(describe("Missing"))

    def test_what_only_running_code_knows_is_an_error(self):
        with self.assertRaisesRegex(LayoutError, r"Shapes\$Computed computes"):
            describe("Computed")
        with self.assertRaisesRegex(LayoutError, r"Shapes\$Choosing chooses its fields"):
            describe("Choosing")

    def test_a_super_class_that_no_jar_has_is_an_error(self):
        only_cube = {"Shapes$Cube": find("Shapes$Cube")}
        with self.assertRaisesRegex(LayoutError, r"no jar has the class Shapes\$Square"):
            Layouts(only_cube.get, JDK).describe("Shapes$Cube")


class ClassFilesAreReadWithCare(unittest.TestCase):
    def test_each_that_is_cut_off_is_refused(self):
        whole = bytes_of("Shapes$Square")
        for size in range(len(whole)):
            with self.subTest(size=size), self.assertRaises(ClassFileError):
                read_class(whole[:size])

    def test_whatever_byte_is_wrong_it_is_read_or_refused(self):
        whole = bytes_of("Shapes$Square")
        for at in range(len(whole)):
            for wrong in (0x00, 0xFF):
                damaged = whole[:at] + bytes([wrong]) + whole[at + 1:]
                try:
                    read_class(damaged)
                except ClassFileError:
                    pass

    def test_text_is_in_modified_utf8(self):
        data = b"\xc0\x80\xed\xa0\xb5\xed\xb0\x80"
        self.assertEqual(decode_text(data), "\0\ud835\udc00")
        self.assertEqual(encode_text(decode_text(data)), data)


def jar_of(*classes: str) -> bytes:
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        for name in classes:
            archive.writestr(f"{name}.class", bytes_of(name))
    return jar.getvalue()


JARS = {
    "spark-core_2.12-9.8.7.jar": jar_of("Shapes$Square", "Shapes$Marked"),
    "spark-common-utils_2.12-9.8.7.jar": jar_of("Shapes$Measured"),
    "scala-library-2.12.99.jar": jar_of("Shapes$NotSerializable"),
    "spark-catalyst_2.12-9.8.7.jar": b"not read",
}


class SparkIsReadFromWhateverHasIt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def expect_spark_in(self, path: Path):
        jars = open_spark(path)
        self.assertEqual((jars.spark, jars.scala), ("9.8.7", "2.12"))
        square = Layouts(jars.find, JDK).describe("Shapes$Square")
        self.assertEqual(square, Layout(6358845480941059195, 2, SQUARE_FIELDS, None))

    def test_an_installation(self):
        (self.folder / "jars").mkdir()
        for name, data in JARS.items():
            (self.folder / "jars" / name).write_bytes(data)
        self.expect_spark_in(self.folder)
        self.expect_spark_in(self.folder / "jars")

    def test_a_wheel(self):
        path = self.folder / "pyspark-9.8.7-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for name, data in JARS.items():
                wheel.writestr(f"pyspark/jars/{name}", data)
        self.expect_spark_in(path)

    def test_a_source_archive(self):
        path = self.folder / "pyspark-9.8.7.tar.gz"
        with tarfile.open(path, "w:gz") as sdist:
            for name, data in JARS.items():
                entry = tarfile.TarInfo(f"pyspark-9.8.7/deps/jars/{name}")
                entry.size = len(data)
                sdist.addfile(entry, io.BytesIO(data))
        self.expect_spark_in(path)

    def test_an_archive_that_is_cut_off_is_refused(self):
        path = self.folder / "pyspark-9.8.7.tar.gz"
        with tarfile.open(path, "w:gz") as sdist:
            sdist.add(HERE / "classes" / "Shapes.java", "pyspark-9.8.7/README")
        path.write_bytes(path.read_bytes()[:-200])
        with self.assertRaises(JarsError):
            open_spark(path)

    def test_what_has_no_spark_is_said_to_have_none(self):
        with self.assertRaisesRegex(JarsError, "has no jars of spark-core"):
            open_spark(self.folder)
        with self.assertRaisesRegex(JarsError, "cannot be read"):
            open_spark(self.folder / "missing")
        (self.folder / "text").write_text("no archive")
        with self.assertRaisesRegex(JarsError, "is no folder, wheel or source archive"):
            open_spark(self.folder / "text")

    def test_the_program_writes_a_line_for_each_class_and_fails_with_one(self):
        jars = self.folder / "jars"
        jars.mkdir()
        for name, data in JARS.items():
            (jars / name).write_bytes(data)
        ran = make_table(self.folder, "--output", self.folder / "new" / "tables")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        text = (self.folder / "new" / "tables" / "9.8.7.json").read_text()
        table = json.loads(text)
        self.assertEqual((table["spark"], table["scala"]), ("9.8.7", "2.12"))
        self.assertIn('\n  "java.lang.Integer": {"id": "1360826667806852920", "flags": 2, '
                      '"fields": [["I", "value"]], "super": "java.lang.Number"},\n', text)

        ran = make_table(self.folder / "missing", "--output", self.folder)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count("\n")), (1, "", 1))


def make_table(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TOOL / "make-table", *map(str, arguments)],
                          capture_output=True, text=True, check=False)


if __name__ == "__main__":
    unittest.main()
