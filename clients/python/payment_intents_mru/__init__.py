"""A client for the payment intents API. It needs Python 3.9 or later, and no other package.

    from payment_intents_mru import Payments

    payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])
    intent = payments.create_intent(amount=50000, label="Order 1042")
"""

from ._client import EventIterator, Payments
from ._errors import PaymentsError, WebhookVerificationError
from ._generated import VERSION as __version__
from ._webhooks import VerifiedWebhook, event_id_of, sign_webhook, verify_webhook

__all__ = [
    "EventIterator",
    "Payments",
    "PaymentsError",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "__version__",
    "event_id_of",
    "sign_webhook",
    "verify_webhook",
]
