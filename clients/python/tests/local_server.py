"""A server of a test's own."""

import socket
import threading


class LocalServer:
    """Takes connections on this machine until it is closed; `take` gets each of them, on a
    thread of its own."""

    def __init__(self):
        self.is_over = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.is_over.set()
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.take, args=(connection,), daemon=True).start()

    def take(self, connection):
        raise NotImplementedError
