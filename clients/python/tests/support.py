"""What the tests of the Python client have in common. Each is called with the path of stoker."""

import os
import sys
import unittest

import stoker

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "tests", "browser"))

# pylint: disable=wrong-import-position,unused-import
from cluster import PATIENCE_S, Cluster, free_port, wait_until  # noqa: E402,F401

PROGRAM = sys.argv.pop()
ENDLESS = ["sleep", "600"]


class ClusterTest(unittest.TestCase):
    """One cluster for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        # What has ended is forgotten as soon as there is enough of it.
        cls.cluster = Cluster(PROGRAM, "--workers", "2", "--cores", "2", "--memory", "2g",
                              "--conf", "stoker.deploy.submissionRetention=0s")
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        os.environ["STOKER_WEB_URL"] = cls.cluster.url
        cls.client = stoker.Client()

    def submit(self, command, **options):
        """What has not ended by then ends with the test."""
        job = self.client.submit(command, **options)

        def end():
            try:
                job.kill()
            except stoker.Error:
                pass

        self.addCleanup(end)
        return job

    def path(self, name):
        return os.path.join(self.cluster.directory, self.id() + "-" + name)
