# hooks.py
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inbox import store
from payment_intents_mru import WebhookVerificationError, verify_webhook

secret = os.environ.get("WEBHOOK_SECRET") or sys.exit("Set WEBHOOK_SECRET.")


class Hooks(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 500  # unless the event is stored
        try:
            event_id, event = verify_webhook(body, self.headers, secret)
            if store(event_id, body.decode()):
                print(body.decode(), flush=True)
            status = 200
        except WebhookVerificationError as error:
            print(error, flush=True)
            status = 401
        finally:
            self.send_response(status)
            self.end_headers()


ThreadingHTTPServer(("", 4000), Hooks).serve_forever()
