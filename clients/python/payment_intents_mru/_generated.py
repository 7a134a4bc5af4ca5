# Generated from the OpenAPI document by `npm run client`.
from __future__ import annotations

from typing import Any, BinaryIO, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Tuple, Union, overload

from .types import (
    EventName,
    Balance,
    CreateProductVariantsItem,
    CreatedIntent,
    DeletedProduct,
    DeletedWebhookEndpoint,
    EventFeed,
    EventPage,
    ImportResult,
    Intent,
    IntentPage,
    LedgerEntry,
    LedgerEntryPage,
    ListWebhookReplaysResult,
    ListWebhookReplaysResultItemsItem,
    ListedRefund,
    ListedWebhookEndpoint,
    LoggedEvent,
    Order,
    OrderPage,
    Product,
    ProductPage,
    Refund,
    RefundPage,
    RefundedIntent,
    ReplayWebhookEventsResult,
    RetriedWebhookDelivery,
    RetryWebhookDeliveriesResult,
    SimulateOrderCustomer,
    SimulateOrderItemsItem,
    Statement,
    StatementPage,
    StockedVariant,
    UpdateProductVariantsItem,
    WebhookDelivery,
    WebhookDeliveryPage,
    WebhookDeliveryWithAttempts,
    WebhookEndpoint,
    WebhookEndpointPage,
    WebhookEndpointWithSecret,
    WebhookTestResult,
)

VERSION = "1.1.0"
#: The value of an argument that is not sent. None is sent as null.
OMITTED: Any = ...


class Operation(NamedTuple):
    method: str
    path: str
    query: Tuple[str, ...] = ()
    has_body: bool = False
    is_file: bool = False


OPERATIONS: Dict[str, Operation] = {
    "createIntent": Operation("POST", "/dev/intents", has_body=True),
    "listIntents": Operation("GET", "/dev/intents", query=("status", "merchantReference", "from", "to", "paidFrom", "paidTo", "refundedFrom", "refundedTo", "minAmount", "maxAmount", "page", "limit",)),
    "getIntent": Operation("GET", "/dev/intents/{referenceNumber}"),
    "cancelIntent": Operation("POST", "/dev/intents/{referenceNumber}/cancel"),
    "simulatePayment": Operation("POST", "/dev/intents/{referenceNumber}/simulate-payment", has_body=True),
    "refundIntent": Operation("POST", "/dev/intents/{referenceNumber}/refund", has_body=True),
    "getBalance": Operation("GET", "/dev/balance"),
    "listBalanceEntries": Operation("GET", "/dev/balance/entries", query=("type", "from", "to", "page", "limit",)),
    "listRefunds": Operation("GET", "/dev/refunds", query=("from", "to", "page", "limit",)),
    "listStatements": Operation("GET", "/dev/statements", query=("month",)),
    "getStatement": Operation("GET", "/dev/statements/{day}"),
    "exportPayments": Operation("GET", "/dev/exports/payments", query=("from", "to", "format", "delimiter", "bom", "language", "after",), is_file=True),
    "exportRefunds": Operation("GET", "/dev/exports/refunds", query=("from", "to", "format", "delimiter", "bom", "language", "after",), is_file=True),
    "exportLedgerEntries": Operation("GET", "/dev/exports/entries", query=("from", "to", "format", "delimiter", "bom", "language", "after",), is_file=True),
    "createWebhookEndpoint": Operation("POST", "/dev/webhooks/endpoints", has_body=True),
    "getWebhookEndpoint": Operation("GET", "/dev/webhooks/endpoints/{id}"),
    "updateWebhookEndpoint": Operation("PUT", "/dev/webhooks/endpoints/{id}", has_body=True),
    "deleteWebhookEndpoint": Operation("DELETE", "/dev/webhooks/endpoints/{id}"),
    "testWebhookEndpoint": Operation("POST", "/dev/webhooks/endpoints/{id}/test", has_body=True),
    "rotateWebhookSecret": Operation("POST", "/dev/webhooks/endpoints/{id}/rotate-secret"),
    "listWebhookEndpoints": Operation("GET", "/dev/webhooks", query=("sandbox", "page", "limit",)),
    "listWebhookDeliveries": Operation("GET", "/dev/webhooks/events", query=("status", "event", "endpointId", "referenceNumber", "responseStatus", "from", "to", "page", "limit",)),
    "getWebhookDelivery": Operation("GET", "/dev/webhooks/events/{id}"),
    "retryWebhookDeliveries": Operation("POST", "/dev/webhooks/events/retry", has_body=True),
    "retryWebhookDelivery": Operation("POST", "/dev/webhooks/events/{id}/retry"),
    "replayWebhookEvents": Operation("POST", "/dev/webhooks/endpoints/{id}/replay", has_body=True),
    "listWebhookReplays": Operation("GET", "/dev/webhooks/endpoints/{id}/replays", query=("page", "limit",)),
    "getWebhookReplay": Operation("GET", "/dev/webhooks/endpoints/{id}/replays/{replayId}"),
    "cancelWebhookReplay": Operation("POST", "/dev/webhooks/endpoints/{id}/replays/{replayId}/cancel"),
    "listEvents": Operation("GET", "/dev/events", query=("type", "referenceNumber", "from", "to", "page", "limit",)),
    "readEventFeed": Operation("GET", "/dev/events/feed", query=("after", "type", "limit", "wait",)),
    "getEvent": Operation("GET", "/dev/events/{id}"),
    "importProducts": Operation("POST", "/dev/store/products/import-csv", query=("dryRun",), has_body=True),
    "exportProducts": Operation("GET", "/dev/store/products/export-csv", query=("delimiter", "bom",), is_file=True),
    "createProduct": Operation("POST", "/dev/store/products", has_body=True),
    "listProducts": Operation("GET", "/dev/store/products", query=("active", "q", "sku", "page", "limit",)),
    "getProduct": Operation("GET", "/dev/store/products/{id}"),
    "updateProduct": Operation("PUT", "/dev/store/products/{id}", has_body=True),
    "deleteProduct": Operation("DELETE", "/dev/store/products/{id}"),
    "changeStock": Operation("PATCH", "/dev/store/products/{id}/variants/{vid}/stock", has_body=True),
    "simulateOrder": Operation("POST", "/dev/store/orders/simulate", has_body=True),
    "listOrders": Operation("GET", "/dev/store/orders", query=("from", "to", "page", "limit",)),
    "getOrder": Operation("GET", "/dev/store/orders/{id}"),
}

LISTS = ("list_intents", "list_balance_entries", "list_refunds", "list_webhook_endpoints", "list_webhook_deliveries", "list_webhook_replays", "list_events", "list_products", "list_orders")


class Operations:
    def create_intent(
        self,
        *,
        amount: Optional[int] = OMITTED,
        amount_type: Optional[Literal["FIXED", "OPEN"]] = OMITTED,
        label: Optional[str] = OMITTED,
        merchant_reference: Optional[str] = OMITTED,
        metadata: Optional[Dict[str, str]] = OMITTED,
        success_url: Optional[str] = OMITTED,
        cancel_url: Optional[str] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> CreatedIntent:
        """Create a payment intent.

        Creates a payment to collect: the customer pays on the page at `payUrl`, or types `code` at `codeUrl`,
        for example at a counter. An intent not paid before `expiresAt` becomes CANCELLED.

        Requires a secret key with the scope `payments.intents:write`.

        :param amount: Centimes. Required for a FIXED intent. For an OPEN intent, the amount that the payment
        page suggests.
        :param amount_type: FIXED: you set the amount. OPEN: the customer chooses it. Defaults to FIXED.
        :param label: A text that the customer sees, such as an order number.
        :param merchant_reference: Your own reference, such as an order number. Only one PENDING, PAID or
        REFUNDED intent can have it.
        :param metadata: Your own keys and string values, which the intent and its events contain.
        :param success_url: The page to which the customer returns after paying: https with a live key. Empty
        means none.
        :param cancel_url: The page to which the customer returns without paying: https with a live key. Empty
        means none.
        """
        fields: Dict[str, Any] = {"amount": amount, "amountType": amount_type, "label": label, "merchantReference": merchant_reference, "metadata": metadata, "success_url": success_url, "cancel_url": cancel_url}
        result: CreatedIntent = self._call("createIntent", fields, timeout, max_retries, idempotency_key)
        return result

    def list_intents(
        self,
        *,
        status: Literal["PENDING", "PAID", "REFUNDED", "CANCELLED", "FAILED"] = OMITTED,
        merchant_reference: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        paid_from: str = OMITTED,
        paid_to: str = OMITTED,
        refunded_from: str = OMITTED,
        refunded_to: str = OMITTED,
        min_amount: int = OMITTED,
        max_amount: int = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> IntentPage:
        """List payment intents.

        Returns the payment intents of the key's environment, newest first. You can filter by payment time,
        refund time or amount, but by only one of these three at a time.

        Requires a secret key with the scope `payments.intents:read`.

        :param status: Only intents in this status.
        :param merchant_reference: Only intents with this merchantReference.
        :param from_: Only items created at or after this ISO 8601 date or date-time. Without an offset, the
        time is UTC.
        :param to: Only items created at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param paid_from: Only intents paid at or after this ISO 8601 date or date-time. Without an offset, the
        time is UTC.
        :param paid_to: Only intents paid at or before this ISO 8601 date or date-time. A date means the end of
        that day.
        :param refunded_from: Only intents with a refund that SUCCEEDED at or after this ISO 8601 date or
        date-time. Without an offset, the time is UTC.
        :param refunded_to: Only intents with a refund that SUCCEEDED at or before this ISO 8601 date or
        date-time. A date means the end of that day. One refund must match both.
        :param min_amount: Only intents whose paid amount, or `amount` while unpaid, is at least this many
        centimes.
        :param max_amount: Only intents of at most this many centimes.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"status": status, "merchantReference": merchant_reference, "from": from_, "to": to, "paidFrom": paid_from, "paidTo": paid_to, "refundedFrom": refunded_from, "refundedTo": refunded_to, "minAmount": min_amount, "maxAmount": max_amount, "page": page, "limit": limit}
        result: IntentPage = self._call("listIntents", fields, timeout, max_retries)
        return result

    def get_intent(
        self,
        reference_number: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Intent:
        """Retrieve a payment intent.

        You can also use a publishable key, but then you get no fees and no refund reasons.

        Requires a key with the scope `payments.intents:read`.

        :param reference_number: The `referenceNumber` of the payment intent.
        """
        fields: Dict[str, Any] = {"referenceNumber": reference_number}
        result: Intent = self._call("getIntent", fields, timeout, max_retries)
        return result

    def cancel_intent(
        self,
        reference_number: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Intent:
        """Cancel a payment intent.

        Only a PENDING intent can be cancelled. It can then no longer be paid. After INTENT_CANCEL_CONFLICT,
        retrieve the intent: a customer is paying it, or it has just changed.

        Requires a secret key with the scope `payments.intents:write`.

        :param reference_number: The `referenceNumber` of the payment intent.
        """
        fields: Dict[str, Any] = {"referenceNumber": reference_number}
        result: Intent = self._call("cancelIntent", fields, timeout, max_retries, idempotency_key)
        return result

    def simulate_payment(
        self,
        reference_number: str,
        *,
        amount: int = OMITTED,
        payer_phone: Optional[str] = OMITTED,
        outcome: Optional[Literal["success", "insufficient_funds", "technical_error"]] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Intent:
        """Simulate a payment.

        Pays a test intent as a customer would; no money moves. With `outcome`, the payment fails for the reason
        that you choose, and the service returns PAYMENT_FAILED.

        Requires a secret test key with the scope `payments.intents:write`.

        :param reference_number: The `referenceNumber` of the payment intent.
        :param amount: Centimes. For an OPEN intent, the amount that the customer chooses. For a FIXED intent,
        its own amount.
        :param payer_phone: The phone number of the customer.
        :param outcome: The result of the simulated payment. Defaults to success.
        """
        fields: Dict[str, Any] = {"referenceNumber": reference_number, "amount": amount, "payerPhone": payer_phone, "outcome": outcome}
        result: Intent = self._call("simulatePayment", fields, timeout, max_retries, idempotency_key)
        return result

    def refund_intent(
        self,
        reference_number: str,
        *,
        amount: int = OMITTED,
        reason: Optional[str] = OMITTED,
        expected_refundable: int = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> RefundedIntent:
        """Refund a payment intent.

        Refunds `amount`, or the remaining balance if you omit it. The response can take up to 20 seconds; after
        SERVICE_UNAVAILABLE, retry with the same idempotency key.

        Requires a secret key with the scope `payments.refunds:write`.

        :param reference_number: The `referenceNumber` of the payment intent.
        :param amount: Centimes. Defaults to the amount not refunded yet.
        :param reason: Your own note about the refund.
        :param expected_refundable: Centimes. If another amount can still be refunded, you get
        REFUND_AMOUNT_MISMATCH.
        """
        fields: Dict[str, Any] = {"referenceNumber": reference_number, "amount": amount, "reason": reason, "expectedRefundable": expected_refundable}
        result: RefundedIntent = self._call("refundIntent", fields, timeout, max_retries, idempotency_key)
        return result

    def get_balance(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Balance:
        """Retrieve the balance.

        Returns what the service owes you: payments minus refunds, fees and payouts.

        Requires a secret key with the scope `payments.intents:read`.
        """
        fields: Dict[str, Any] = {}
        result: Balance = self._call("getBalance", fields, timeout, max_retries)
        return result

    def list_balance_entries(
        self,
        *,
        type: Literal["payment", "refund", "fee", "payout"] = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> LedgerEntryPage:
        """List balance entries.

        Returns every change to the balance, newest first. Each fee is a separate entry.

        Requires a secret key with the scope `payments.intents:read`.

        :param type: Only entries of this type.
        :param from_: Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time
        is UTC.
        :param to: Only items booked at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"type": type, "from": from_, "to": to, "page": page, "limit": limit}
        result: LedgerEntryPage = self._call("listBalanceEntries", fields, timeout, max_retries)
        return result

    def list_refunds(
        self,
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> RefundPage:
        """List refunds.

        Returns the confirmed refunds of the key's environment, newest first.

        Requires a secret key with the scope `payments.intents:read`.

        :param from_: Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time
        is UTC.
        :param to: Only items booked at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"from": from_, "to": to, "page": page, "limit": limit}
        result: RefundPage = self._call("listRefunds", fields, timeout, max_retries)
        return result

    def list_statements(
        self,
        *,
        month: str = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> StatementPage:
        """List the statements for a month.

        Returns one statement for each UTC day of the month up to today, oldest first, on one page. With
        `Accept: text/csv`, you get a CSV file.

        Requires a secret key with the scope `payments.intents:read`.

        :param month: The month, such as `2026-11`. By default, the current month in UTC.
        """
        fields: Dict[str, Any] = {"month": month}
        result: StatementPage = self._call("listStatements", fields, timeout, max_retries)
        return result

    def get_statement(
        self,
        day: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Statement:
        """Retrieve the statement for a day.

        Returns what was booked on a UTC day. With `Accept: text/csv`, you get a CSV file.

        Requires a secret key with the scope `payments.intents:read`.

        :param day: A day from 2000-01-01 to today, such as `2026-11-01`.
        """
        fields: Dict[str, Any] = {"day": day}
        result: Statement = self._call("getStatement", fields, timeout, max_retries)
        return result

    def export_payments(
        self,
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        format: Literal["csv", "jsonl"] = OMITTED,
        delimiter: Literal["comma", "semicolon", ",", ";"] = OMITTED,
        bom: bool = OMITTED,
        language: Literal["en", "fr", "ar"] = OMITTED,
        after: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> BinaryIO:
        """Export payments to a file.

        Returns the payments of a period, one line per payment, with the merchant's and the payer's fees.

        Requires a secret key with the scope `payments.intents:read`.

        :param from_: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time
        is UTC.
        :param to: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that
        day. Defaults to now.
        :param format: `jsonl` means one JSON object per line. Defaults to `csv`.
        :param delimiter: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a
        semicolon. With a semicolon, decimals use a comma. Only for `csv`.
        :param bom: Whether the file begins with a byte order mark, which Excel needs. By default, only a file
        with semicolons does. Only for `csv`.
        :param language: The language of the column names and entry types of a CSV file. Defaults to English.
        :param after: Resumes a download after the line with this `number`, without the column names.
        """
        fields: Dict[str, Any] = {"from": from_, "to": to, "format": format, "delimiter": delimiter, "bom": bom, "language": language, "after": after}
        result: BinaryIO = self._call("exportPayments", fields, timeout, max_retries)
        return result

    def export_refunds(
        self,
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        format: Literal["csv", "jsonl"] = OMITTED,
        delimiter: Literal["comma", "semicolon", ",", ";"] = OMITTED,
        bom: bool = OMITTED,
        language: Literal["en", "fr", "ar"] = OMITTED,
        after: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> BinaryIO:
        """Export refunds to a file.

        Returns the completed refunds of a period, one line per refund, with the returned fees.

        Requires a secret key with the scope `payments.intents:read`.

        :param from_: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time
        is UTC.
        :param to: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that
        day. Defaults to now.
        :param format: `jsonl` means one JSON object per line. Defaults to `csv`.
        :param delimiter: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a
        semicolon. With a semicolon, decimals use a comma. Only for `csv`.
        :param bom: Whether the file begins with a byte order mark, which Excel needs. By default, only a file
        with semicolons does. Only for `csv`.
        :param language: The language of the column names and entry types of a CSV file. Defaults to English.
        :param after: Resumes a download after the line with this `number`, without the column names.
        """
        fields: Dict[str, Any] = {"from": from_, "to": to, "format": format, "delimiter": delimiter, "bom": bom, "language": language, "after": after}
        result: BinaryIO = self._call("exportRefunds", fields, timeout, max_retries)
        return result

    def export_ledger_entries(
        self,
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        format: Literal["csv", "jsonl"] = OMITTED,
        delimiter: Literal["comma", "semicolon", ",", ";"] = OMITTED,
        bom: bool = OMITTED,
        language: Literal["en", "fr", "ar"] = OMITTED,
        after: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> BinaryIO:
        """Export ledger entries to a file.

        Returns all changes to the balance during a period: payments, refunds, fees and payouts. Each line also
        shows the balance after the change.

        Requires a secret key with the scope `payments.intents:read`.

        :param from_: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time
        is UTC.
        :param to: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that
        day. Defaults to now.
        :param format: `jsonl` means one JSON object per line. Defaults to `csv`.
        :param delimiter: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a
        semicolon. With a semicolon, decimals use a comma. Only for `csv`.
        :param bom: Whether the file begins with a byte order mark, which Excel needs. By default, only a file
        with semicolons does. Only for `csv`.
        :param language: The language of the column names and entry types of a CSV file. Defaults to English.
        :param after: Resumes a download after the line with this `number`, without the column names.
        """
        fields: Dict[str, Any] = {"from": from_, "to": to, "format": format, "delimiter": delimiter, "bom": bom, "language": language, "after": after}
        result: BinaryIO = self._call("exportLedgerEntries", fields, timeout, max_retries)
        return result

    def create_webhook_endpoint(
        self,
        *,
        url: str,
        events: List[EventName],
        headers: Optional[Dict[str, str]] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint.

        Registers a URL for your events: only sandbox events with a test key, or sandbox and live events with a
        live key. Store the `secret`: only a repeat with the same idempotency key returns it again.

        Requires a secret key with the scope `webhooks.endpoints:write`.

        :param url: An https URL with a public host name. The port must be 443, or 1024 or above.
        :param events: The events that the endpoint receives.
        :param headers: Your own headers for every webhook to this endpoint, such as a password of your gateway:
        in all, at most 4096 characters, with names that differ in more than case. No response contains the
        values.
        """
        fields: Dict[str, Any] = {"url": url, "events": events, "headers": headers}
        result: WebhookEndpointWithSecret = self._call("createWebhookEndpoint", fields, timeout, max_retries, idempotency_key)
        return result

    def get_webhook_endpoint(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ListedWebhookEndpoint:
        """Retrieve a webhook endpoint.

        Returns the endpoint without its secret. `last24Hours` is as in the list.

        Requires a secret key with the scope `webhooks.endpoints:read`.

        :param id: The `id` of the endpoint.
        """
        fields: Dict[str, Any] = {"id": id}
        result: ListedWebhookEndpoint = self._call("getWebhookEndpoint", fields, timeout, max_retries)
        return result

    def update_webhook_endpoint(
        self,
        id: str,
        *,
        url: Optional[str] = OMITTED,
        events: Optional[List[EventName]] = OMITTED,
        headers: Optional[Dict[str, str]] = OMITTED,
        active: Optional[bool] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint.

        Changes only the fields that you send. `events` and `headers` replace all earlier ones.

        Requires a secret key with the scope `webhooks.endpoints:write`.

        :param id: The `id` of the endpoint.
        :param url: An https URL with a public host name. The port must be 443, or 1024 or above.
        :param events: The events that the endpoint receives.
        :param headers: Replaces all your headers. Null or `{}` removes them, and so does a URL with another
        host or port.
        :param active: If false, it gets no events, and deliveries that fall due become CANCELLED.
        """
        fields: Dict[str, Any] = {"id": id, "url": url, "events": events, "headers": headers, "active": active}
        result: WebhookEndpoint = self._call("updateWebhookEndpoint", fields, timeout, max_retries, idempotency_key)
        return result

    def delete_webhook_endpoint(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint.

        Unfinished deliveries become CANCELLED, and a request already in flight is aborted within 3 seconds. A
        live key can delete test endpoints too.

        Requires a secret key with the scope `webhooks.endpoints:write`.

        :param id: The `id` of the endpoint.
        """
        fields: Dict[str, Any] = {"id": id}
        result: DeletedWebhookEndpoint = self._call("deleteWebhookEndpoint", fields, timeout, max_retries, idempotency_key)
        return result

    def test_webhook_endpoint(
        self,
        id: str,
        *,
        event: Optional[EventName] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookTestResult:
        """Send a test event.

        Sends one signed sample event, without retries. The status is 200 even if the attempt fails: check
        `delivered`.

        Requires a secret key with the scope `webhooks.endpoints:write`.

        :param id: The `id` of the endpoint.
        :param event: Defaults to the endpoint's first event.
        """
        fields: Dict[str, Any] = {"id": id, "event": event}
        result: WebhookTestResult = self._call("testWebhookEndpoint", fields, timeout, max_retries, idempotency_key)
        return result

    def rotate_webhook_secret(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookEndpointWithSecret:
        """Rotate a webhook secret.

        Creates a new signing secret, which only this response contains. Your key needs the scopes for all
        events of the endpoint. For 24 hours, deliveries also carry a signature with the old secret.

        Requires a secret key with the scope `webhooks.endpoints:write`.

        :param id: The `id` of the endpoint.
        """
        fields: Dict[str, Any] = {"id": id}
        result: WebhookEndpointWithSecret = self._call("rotateWebhookSecret", fields, timeout, max_retries, idempotency_key)
        return result

    def list_webhook_endpoints(
        self,
        *,
        sandbox: bool = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookEndpointPage:
        """List webhook endpoints.

        Returns the webhook endpoints of one environment, newest first, without their secrets. `last24Hours`
        shows how many of the latest attempts succeeded.

        Requires a secret key with the scope `webhooks.endpoints:read`.

        :param sandbox: Defaults to the key's environment. Only a live key can choose.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"sandbox": sandbox, "page": page, "limit": limit}
        result: WebhookEndpointPage = self._call("listWebhookEndpoints", fields, timeout, max_retries)
        return result

    def list_webhook_deliveries(
        self,
        *,
        status: str = OMITTED,
        event: EventName = OMITTED,
        endpoint_id: str = OMITTED,
        reference_number: str = OMITTED,
        response_status: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookDeliveryPage:
        """List webhook deliveries.

        Returns the webhook deliveries of the key's environment, newest first. For a test key, attempts to live
        endpoints are hidden, and fields about them are null.

        Requires a secret key with the scope `webhooks.deliveries:read`.

        :param status: Only deliveries in one of these statuses, separated by commas: PENDING, RETRYING,
        DELIVERED, DEAD, CANCELLED.
        :param event: Only deliveries of this event.
        :param endpoint_id: Only deliveries to this endpoint, which may be deleted.
        :param reference_number: Only deliveries about this payment intent or order.
        :param response_status: Only deliveries whose last attempt got this HTTP status (`300` to `599`) or
        class (such as `5xx`).
        :param from_: Only items created at or after this ISO 8601 date or date-time. Without an offset, the
        time is UTC.
        :param to: Only items created at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"status": status, "event": event, "endpointId": endpoint_id, "referenceNumber": reference_number, "responseStatus": response_status, "from": from_, "to": to, "page": page, "limit": limit}
        result: WebhookDeliveryPage = self._call("listWebhookDeliveries", fields, timeout, max_retries)
        return result

    def get_webhook_delivery(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> WebhookDeliveryWithAttempts:
        """Retrieve a webhook delivery.

        Returns the delivery with its body, its latest attempts and the headers of the last one.

        Requires a secret key with the scope `webhooks.deliveries:read`.

        :param id: The `id` of the delivery.
        """
        fields: Dict[str, Any] = {"id": id}
        result: WebhookDeliveryWithAttempts = self._call("getWebhookDelivery", fields, timeout, max_retries)
        return result

    def retry_webhook_deliveries(
        self,
        *,
        status: List[Literal["DEAD", "RETRYING", "CANCELLED"]] = OMITTED,
        event: EventName = OMITTED,
        endpoint_id: str = OMITTED,
        reference_number: str = OMITTED,
        response_status: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        after: Optional[str] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> RetryWebhookDeliveriesResult:
        """Retry webhook deliveries by filter.

        Retries every matching delivery once, oldest first, up to 500 per request. If `hasMore` is true, repeat
        it with a new idempotency key and `next` as `after`.

        Requires a secret key with the scope `webhooks.deliveries:write`.

        :param status: Only deliveries in one of these statuses. Defaults to `["DEAD"]`.
        :param event: Only deliveries of this event.
        :param endpoint_id: Only deliveries to this endpoint, which may be deleted.
        :param reference_number: Only deliveries about this payment intent or order.
        :param response_status: Only deliveries whose last attempt got this HTTP status (`300` to `599`) or
        class (such as `5xx`).
        :param from_: Only items created at or after this ISO 8601 date or date-time. Without an offset, the
        time is UTC.
        :param to: Only items created at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param after: The `next` of the previous response.
        """
        fields: Dict[str, Any] = {"status": status, "event": event, "endpointId": endpoint_id, "referenceNumber": reference_number, "responseStatus": response_status, "from": from_, "to": to, "after": after}
        result: RetryWebhookDeliveriesResult = self._call("retryWebhookDeliveries", fields, timeout, max_retries, idempotency_key)
        return result

    def retry_webhook_delivery(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> RetriedWebhookDelivery:
        """Retry a webhook delivery.

        Makes one more attempt now, with the same `id` and body, or explains in `reason` why not.

        Requires a secret key with the scope `webhooks.deliveries:write`.

        :param id: The `id` of the delivery.
        """
        fields: Dict[str, Any] = {"id": id}
        result: RetriedWebhookDelivery = self._call("retryWebhookDelivery", fields, timeout, max_retries, idempotency_key)
        return result

    def replay_webhook_events(
        self,
        id: str,
        *,
        from_: str,
        to: str = OMITTED,
        events: List[EventName] = OMITTED,
        only_undelivered: bool = OMITTED,
        dry_run: bool = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ReplayWebhookEventsResult:
        """Replay events to an endpoint.

        Sends the events of a period to the endpoint again, oldest first, alongside new events. An existing
        delivery gets one more attempt with the same `id` and body; a missing one is created.

        Requires a secret key with the scope `webhooks.deliveries:write`.

        :param id: The `id` of the endpoint.
        :param from_: Only events that happened at or after this ISO 8601 date or date-time. Without an offset,
        the time is UTC.
        :param to: Only events that happened at or before this ISO 8601 date or date-time. A date means the end
        of that day. The default is now.
        :param events: Only these events. Defaults to all that the endpoint receives.
        :param only_undelivered: Leaves out events that your endpoint has accepted.
        :param dry_run: If true, the events are only counted, and the status is 200.
        """
        fields: Dict[str, Any] = {"id": id, "from": from_, "to": to, "events": events, "onlyUndelivered": only_undelivered, "dryRun": dry_run}
        result: ReplayWebhookEventsResult = self._call("replayWebhookEvents", fields, timeout, max_retries, idempotency_key)
        return result

    def list_webhook_replays(
        self,
        id: str,
        *,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ListWebhookReplaysResult:
        """List the replays of an endpoint.

        Returns the replays, newest first. They are kept for 90 days, or 30 days in the sandbox.

        Requires a secret key with the scope `webhooks.deliveries:read`.

        :param id: The `id` of the endpoint.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"id": id, "page": page, "limit": limit}
        result: ListWebhookReplaysResult = self._call("listWebhookReplays", fields, timeout, max_retries)
        return result

    def get_webhook_replay(
        self,
        id: str,
        replay_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ListWebhookReplaysResultItemsItem:
        """Retrieve a replay.

        Returns the replay. Once it is DONE, `requeued`, `created` and `skipped` add up to `total`.

        Requires a secret key with the scope `webhooks.deliveries:read`.

        :param id: The `id` of the endpoint.
        :param replay_id: The `id` of the replay.
        """
        fields: Dict[str, Any] = {"id": id, "replayId": replay_id}
        result: ListWebhookReplaysResultItemsItem = self._call("getWebhookReplay", fields, timeout, max_retries)
        return result

    def cancel_webhook_replay(
        self,
        id: str,
        replay_id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ListWebhookReplaysResultItemsItem:
        """Cancel a replay.

        Stops a running replay within 2 s. Attempts that it has already scheduled are still made.

        Requires a secret key with the scope `webhooks.deliveries:write`.

        :param id: The `id` of the endpoint.
        :param replay_id: The `id` of the replay.
        """
        fields: Dict[str, Any] = {"id": id, "replayId": replay_id}
        result: ListWebhookReplaysResultItemsItem = self._call("cancelWebhookReplay", fields, timeout, max_retries, idempotency_key)
        return result

    def list_events(
        self,
        *,
        type: EventName = OMITTED,
        reference_number: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> EventPage:
        """List events.

        Returns the events of the key's environment, newest first, even if no endpoint was subscribed to them. A
        key sees only events that it may subscribe an endpoint to.

        Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
        `webhooks.endpoints:read`.

        :param type: Only events of this type.
        :param reference_number: Only events of the payment intent, order or webhook endpoint with this
        `referenceNumber`.
        :param from_: Only events that happened at or after this ISO 8601 date or date-time. Without an offset,
        the time is UTC.
        :param to: Only events that happened at or before this ISO 8601 date or date-time. A date means the end
        of that day.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"type": type, "referenceNumber": reference_number, "from": from_, "to": to, "page": page, "limit": limit}
        result: EventPage = self._call("listEvents", fields, timeout, max_retries)
        return result

    def read_event_feed(
        self,
        *,
        after: str = OMITTED,
        type: EventName = OMITTED,
        limit: int = OMITTED,
        wait: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> EventFeed:
        """Follow the event feed.

        Returns events in the order in which they were logged, oldest first. Send the `next` of each response as
        `after` in the next request to get every event exactly once, even if you pause for days.

        Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
        `webhooks.endpoints:read`.

        :param after: The `next` of the previous response. Without it, the feed begins with the oldest event.
        `latest` means events from now on.
        :param type: Only events of this type.
        :param limit: The number of items per page. A number above 100 means 100.
        :param wait: How many seconds to wait for an event. The response is sent as soon as there is one.
        """
        fields: Dict[str, Any] = {"after": after, "type": type, "limit": limit, "wait": wait}
        result: EventFeed = self._call("readEventFeed", fields, timeout, max_retries)
        return result

    def get_event(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> LoggedEvent:
        """Retrieve an event.

        Returns one event with the body of its webhooks, or SCOPE_REQUIRED if the key may not read its type.

        Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
        `webhooks.endpoints:read`.

        :param id: The `id` of the event.
        """
        fields: Dict[str, Any] = {"id": id}
        result: LoggedEvent = self._call("getEvent", fields, timeout, max_retries)
        return result

    def import_products(
        self,
        *,
        dry_run: bool = OMITTED,
        csv: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ImportResult:
        """Import products from a CSV file.

        Creates and updates products from a file with one row per variant. If the file has a fault, nothing
        changes, and `details.faults` lists the faults by row and column.

        Requires a secret key with the scope `store.products:write`.

        :param dry_run: If `true`, the file is checked, but nothing changes.
        :param csv: The text of the CSV file.
        """
        fields: Dict[str, Any] = {"dryRun": dry_run, "csv": csv}
        result: ImportResult = self._call("importProducts", fields, timeout, max_retries, idempotency_key)
        return result

    def export_products(
        self,
        *,
        delimiter: Literal["comma", "semicolon", ",", ";"] = OMITTED,
        bom: bool = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> BinaryIO:
        """Export products to a CSV file.

        Returns all products, one row per variant, oldest product first. Importing the file again (up to 5000
        rows) changes nothing.

        Requires a secret key with the scope `store.products:read`.

        :param delimiter: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a
        semicolon.
        :param bom: Whether the file begins with a byte order mark, which Excel needs. By default, only a file
        with semicolons does.
        """
        fields: Dict[str, Any] = {"delimiter": delimiter, "bom": bom}
        result: BinaryIO = self._call("exportProducts", fields, timeout, max_retries)
        return result

    def create_product(
        self,
        *,
        name: str,
        description: Optional[str] = OMITTED,
        images: Optional[List[str]] = OMITTED,
        active: Optional[bool] = OMITTED,
        price: Optional[int] = OMITTED,
        stock: Optional[int] = OMITTED,
        sku: Optional[str] = OMITTED,
        variants: Optional[List[CreateProductVariantsItem]] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Product:
        """Create a product.

        Send either `variants` or a `price`. Without `variants`, the product gets one variant called `Default`,
        with the `price`, `stock` and `sku` that you send.

        Requires a secret key with the scope `store.products:write`.

        :param images: The URLs of the images. They must be absolute https URLs.
        :param active: Whether the product is for sale.
        :param price: Centimes.
        :param stock: The number of units in stock.
        :param sku: Your own stock keeping unit. It must be unique within the shop.
        """
        fields: Dict[str, Any] = {"name": name, "description": description, "images": images, "active": active, "price": price, "stock": stock, "sku": sku, "variants": variants}
        result: Product = self._call("createProduct", fields, timeout, max_retries, idempotency_key)
        return result

    def list_products(
        self,
        *,
        active: bool = OMITTED,
        q: str = OMITTED,
        sku: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> ProductPage:
        """List products.

        Returns the products of the key's environment, newest first.

        Requires a secret key with the scope `store.products:read`.

        :param active: Only products that are, or are not, for sale.
        :param q: Only products whose name contains this text, ignoring case.
        :param sku: Only the product with this SKU.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"active": active, "q": q, "sku": sku, "page": page, "limit": limit}
        result: ProductPage = self._call("listProducts", fields, timeout, max_retries)
        return result

    def get_product(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Product:
        """Retrieve a product.

        Returns the product with its variants and their stock.

        Requires a secret key with the scope `store.products:read`.

        :param id: The `_id` of the product.
        """
        fields: Dict[str, Any] = {"id": id}
        result: Product = self._call("getProduct", fields, timeout, max_retries)
        return result

    def update_product(
        self,
        id: str,
        *,
        name: Optional[str] = OMITTED,
        description: Optional[str] = OMITTED,
        images: Optional[List[str]] = OMITTED,
        active: Optional[bool] = OMITTED,
        price: Optional[int] = OMITTED,
        stock: Optional[int] = OMITTED,
        sku: Optional[str] = OMITTED,
        variants: Optional[List[UpdateProductVariantsItem]] = OMITTED,
        remove_missing_variants: Optional[bool] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Product:
        """Update a product.

        Changes the fields that you send. Identify a variant by its `_id` or `label`; a new `label` creates a
        variant, which needs a `price`.

        Requires a secret key with the scope `store.products:write`.

        :param id: The `_id` of the product.
        :param images: The URLs of the images. They must be absolute https URLs.
        :param active: Whether the product is for sale.
        :param price: Centimes.
        :param stock: The number of units in stock.
        :param sku: Your own stock keeping unit. It must be unique within the shop.
        :param remove_missing_variants: Removes variants missing from `variants`.
        """
        fields: Dict[str, Any] = {"id": id, "name": name, "description": description, "images": images, "active": active, "price": price, "stock": stock, "sku": sku, "variants": variants, "removeMissingVariants": remove_missing_variants}
        result: Product = self._call("updateProduct", fields, timeout, max_retries, idempotency_key)
        return result

    def delete_product(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> DeletedProduct:
        """Delete a product.

        Deletes the product with its variants. Orders keep their copy of what was sold.

        Requires a secret key with the scope `store.products:write`.

        :param id: The `_id` of the product.
        """
        fields: Dict[str, Any] = {"id": id}
        result: DeletedProduct = self._call("deleteProduct", fields, timeout, max_retries, idempotency_key)
        return result

    def change_stock(
        self,
        id: str,
        vid: str,
        *,
        stock: int = OMITTED,
        delta: int = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> StockedVariant:
        """Change the stock of a variant.

        Send either `stock` (the new stock level) or `delta` (the number of units to add or subtract). A change
        that would bring the stock below 0 is refused with INSUFFICIENT_STOCK.

        Requires a secret key with the scope `store.products:write`.

        :param id: The `_id` of the product.
        :param vid: The `_id` of the variant, or its label.
        :param stock: The new stock level, in units.
        :param delta: The number of units to add to the stock. A negative number subtracts units.
        """
        fields: Dict[str, Any] = {"id": id, "vid": vid, "stock": stock, "delta": delta}
        result: StockedVariant = self._call("changeStock", fields, timeout, max_retries, idempotency_key)
        return result

    def simulate_order(
        self,
        *,
        items: Optional[List[SimulateOrderItemsItem]] = OMITTED,
        customer: Optional[SimulateOrderCustomer] = OMITTED,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Order:
        """Simulate an order.

        Places an order in your test shop, as a customer would, and takes its items from stock. Without `items`,
        orders one unit of a variant in stock, and first adds a sample product to an empty shop.

        Requires a secret test key with the scope `store.orders:write`.
        """
        fields: Dict[str, Any] = {"items": items, "customer": customer}
        result: Order = self._call("simulateOrder", fields, timeout, max_retries, idempotency_key)
        return result

    def list_orders(
        self,
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        page: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> OrderPage:
        """List orders.

        Returns the orders of the key's environment, newest first.

        Requires a secret key with the scope `store.orders:read`.

        :param from_: Only items created at or after this ISO 8601 date or date-time. Without an offset, the
        time is UTC.
        :param to: Only items created at or before this ISO 8601 date or date-time. A date means the end of that
        day.
        :param page: The page number, from 1.
        :param limit: The number of items per page. A number above 100 means 100.
        """
        fields: Dict[str, Any] = {"from": from_, "to": to, "page": page, "limit": limit}
        result: OrderPage = self._call("listOrders", fields, timeout, max_retries)
        return result

    def get_order(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Order:
        """Retrieve an order.

        An order keeps a copy of its products, so later changes to them do not affect it.

        Requires a secret key with the scope `store.orders:read`.

        :param id: The `_id` of the order.
        """
        fields: Dict[str, Any] = {"id": id}
        result: Order = self._call("getOrder", fields, timeout, max_retries)
        return result

    @overload
    def list_all(
        self,
        operation: Literal["list_intents"],
        *,
        status: Literal["PENDING", "PAID", "REFUNDED", "CANCELLED", "FAILED"] = OMITTED,
        merchant_reference: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        paid_from: str = OMITTED,
        paid_to: str = OMITTED,
        refunded_from: str = OMITTED,
        refunded_to: str = OMITTED,
        min_amount: int = OMITTED,
        max_amount: int = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[Intent]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_balance_entries"],
        *,
        type: Literal["payment", "refund", "fee", "payout"] = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[LedgerEntry]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_refunds"],
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[ListedRefund]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_webhook_endpoints"],
        *,
        sandbox: bool = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[ListedWebhookEndpoint]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_webhook_deliveries"],
        *,
        status: str = OMITTED,
        event: EventName = OMITTED,
        endpoint_id: str = OMITTED,
        reference_number: str = OMITTED,
        response_status: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[WebhookDelivery]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_webhook_replays"],
        *,
        id: str,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[ListWebhookReplaysResultItemsItem]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_events"],
        *,
        type: EventName = OMITTED,
        reference_number: str = OMITTED,
        from_: str = OMITTED,
        to: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[LoggedEvent]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_products"],
        *,
        active: bool = OMITTED,
        q: str = OMITTED,
        sku: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[Product]: ...

    @overload
    def list_all(
        self,
        operation: Literal["list_orders"],
        *,
        from_: str = OMITTED,
        to: str = OMITTED,
        limit: int = OMITTED,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Iterator[Order]: ...

    def list_all(self, operation: str, **fields: Any) -> Iterator[Any]:
        """Iterates over all items of a list, newest first, and reads each page when it is needed.

        If you change items so that they leave the list, collect all of them first.
        """
        return self._list_all(operation, fields)

    def _call(self, operation: str, fields: Mapping[str, Any], timeout: Optional[float], max_retries: Optional[float], idempotency_key: Optional[str] = None) -> Any:
        raise NotImplementedError

    def _list_all(self, operation: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        raise NotImplementedError
