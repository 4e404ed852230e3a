"""Fails, and does well the next time: second_time.py FILE"""

import pathlib
import sys

file = pathlib.Path(sys.argv[1])
if not file.exists():
    file.touch()
    sys.exit(3)
print("it is the second time")
