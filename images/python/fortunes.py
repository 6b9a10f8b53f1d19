"""A Fortunes application that knows nothing of the lab but its target file.

It shows what an application from outside has to do (benchlab docs outside):
read /run/benchlab/target.json, open its connections, listen, and answer
GET /fortunes by the rules of TechEmpower.

The setting "fault" makes it a bad one, for tests: exit, silent, unescaped,
unsorted, chunked.
"""

import html
import json
import queue
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from database import connect

TARGET = "/run/benchlab/target.json"
QUERY = "SELECT id, message FROM fortune"
EXTRA = (0, "Additional fortune added at request time.")


def page(rows, fault):
    """Renders the page: one more row, sorted by message, everything escaped."""
    rows = [*rows, EXTRA]
    if fault != "unsorted":
        # By bytes of UTF-8, which is the order of code points.
        rows.sort(key=lambda row: row[1])
    escape = str if fault == "unescaped" else html.escape
    cells = "".join(f"<tr><td>{number}</td><td>{escape(message)}</td></tr>" for number, message in rows)
    return (
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        f"<tr><th>id</th><th>message</th></tr>{cells}</table></body></html>"
    ).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "python", ""
    # One packet an answer: head and body in two would wait for each other.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        if self.path != "/fortunes":
            self.send_error(404)
            return
        connection = self.server.connections.get()
        try:
            with connection.cursor() as cursor:
                cursor.execute(QUERY)
                rows = cursor.fetchall()
        finally:
            self.server.connections.put(connection)
        body = page(rows, self.server.fault)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if self.server.fault == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 4096


def main():
    # The first process of a container has no default for signals.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(TARGET, encoding="utf-8") as file:
        target = json.load(file)
    fault = target["settings"].get("fault", "")
    if fault == "exit":
        print("fortunes: told to end", file=sys.stderr)
        sys.exit(7)
    if fault == "silent":
        threading.Event().wait()
    connections = queue.LifoQueue()
    opened = [connect(target) for _ in range(target["connections"])]
    for connection in opened:
        connections.put(connection)
    host, _, port = target["listen"].rpartition(":")
    server = Server((host, int(port)), Handler)
    server.connections, server.fault = connections, fault
    try:
        server.serve_forever()
    finally:
        for connection in opened:
            connection.close()


main()
