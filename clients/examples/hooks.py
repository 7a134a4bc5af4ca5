# hooks.py
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inbox import store
from payment_intents_mru import WebhookVerificationError, verify_webhook


class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event_id, event = verify_webhook(body, self.headers, os.environ["WEBHOOK_SECRET"])
            if store(event_id, body.decode()):
                print(body.decode(), flush=True)
            self.send_response(200)
        except WebhookVerificationError:
            self.send_response(401)
        self.end_headers()


ThreadingHTTPServer(("", 4000), Hooks).serve_forever()
