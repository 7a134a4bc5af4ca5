# hooks.py
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inbox import store
from verify import verify


class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event_id = verify(os.environ["WEBHOOK_SECRET"], self.headers, body, time.time())
        if event_id and store(event_id, body.decode()):
            print(body.decode(), flush=True)
        self.send_response(200 if event_id else 401)
        self.end_headers()


ThreadingHTTPServer(("", 4000), Hooks).serve_forever()
