# Generated from the OpenAPI document by `npm run client`.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

EventName = Literal["payment.created", "payment.confirmed", "payment.cancelled", "payment.expired", "payment.refunded", "payment.failed", "order.new", "endpoint.failing"]

#: The body of a webhook. Compare `event` to find out which event it is.
WebhookEvent = Union["PaymentCreatedEvent", "PaymentConfirmedEvent", "PaymentCancelledEvent", "PaymentExpiredEvent", "PaymentRefundedEvent", "PaymentFailedEvent", "OrderNewEvent", "EndpointFailingEvent"]


class Balance(TypedDict):
    currency: Literal["MRU"]
    #: Centimes. Negative if you owe the service money, for example after refunds of payments that were already paid
    #: out.
    amount: int
    #: Includes all payments and refunds recorded up to this time.
    asOf: str


class _CreateProductVariantsItem(TypedDict):
    #: For example, a size.
    label: str
    #: Centimes.
    price: int


class CreateProductVariantsItem(_CreateProductVariantsItem, total=False):
    #: The number of units in stock.
    stock: Optional[int]
    #: Your own stock keeping unit. It must be unique within the shop.
    sku: Optional[str]


class CreatedIntent(TypedDict):
    #: Identifies the intent in all other operations.
    referenceNumber: str
    #: The last part of `payUrl`.
    shortCode: str
    #: The payment code, with which the customer pays at a counter.
    code: str
    #: When `code` stops working.
    codeExpiresAt: str
    #: The page where the customer types `code`.
    codeUrl: str
    #: The page where the customer pays.
    payUrl: str
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    #: OPEN: the customer chooses the amount.
    amountType: Literal["FIXED", "OPEN"]
    currency: Literal["MRU"]
    #: The text that the customer sees.
    label: Optional[str]
    #: Your own reference. Null if you sent none.
    merchantReference: Optional[str]
    status: Literal["PENDING"]
    #: True for test data, which moves no money.
    sandbox: bool
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    #: When the intent becomes CANCELLED if it is not paid.
    expiresAt: str
    createdAt: str


class Customer(TypedDict):
    name: Optional[str]
    phone: Optional[str]
    email: Optional[str]


class DeletedProduct(TypedDict):
    _id: str
    deleted: Literal[True]


class DeletedWebhookEndpoint(TypedDict):
    id: str
    deleted: Literal[True]


class EndpointFailingEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["endpoint.failing"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: Union[EndpointFailingEventData1, EndpointFailingEventData2]


class EndpointFailingEventData1(TypedDict):
    #: The endpoint that the event is about.
    endpoint_id: str
    #: The same id as `endpoint_id`.
    reference_number: str
    #: The shortened URL, with a fingerprint. Your list of endpoints contains the full URL.
    url: str
    status: Literal["FAILING"]
    #: When the first failed attempt ended.
    failing_since: str
    recovered_at: None
    #: The stage of the last failure.
    last_error: Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    last_response_status: Optional[int]


class EndpointFailingEventData2(TypedDict):
    #: The endpoint that the event is about.
    endpoint_id: str
    #: The same id as `endpoint_id`.
    reference_number: str
    #: The shortened URL, with a fingerprint. Your list of endpoints contains the full URL.
    url: str
    status: Literal["RECOVERED"]
    #: When the first failed attempt ended.
    failing_since: str
    #: When an attempt succeeded again.
    recovered_at: str
    #: The stage of the last failure.
    last_error: Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    last_response_status: Optional[int]


class EventFeed(TypedDict):
    items: List[LoggedEvent]
    #: Send this as `after` to get the events that follow.
    next: str
    #: Whether more events are available now.
    hasMore: bool


class EventPage(TypedDict):
    items: List[LoggedEvent]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class _ImportResult(TypedDict):
    #: The number of products created.
    created: int
    #: The number of products changed.
    updated: int
    #: The number of products that already matched the file.
    unchanged: int
    #: The number of variants created or changed.
    variants: int
    #: The number of rows in the file, without the header and blank rows.
    rows: int


class ImportResult(_ImportResult, total=False):
    #: Present only in a dry run.
    dryRun: Literal[True]
    #: In a dry run, the handles of the first 100 products of each kind.
    handles: ImportResultHandles


class ImportResultHandles(TypedDict):
    created: List[str]
    updated: List[str]
    unchanged: List[str]


class _Intent(TypedDict):
    #: Identifies the intent in all other operations.
    referenceNumber: str
    #: The last part of `payUrl`.
    shortCode: str
    #: The payment code. Null once it no longer works.
    code: Optional[str]
    #: When `code` stops working. Null if `code` is null.
    codeExpiresAt: Optional[str]
    #: Where the customer types `code`, or null.
    codeUrl: Optional[str]
    #: The page where the customer pays.
    payUrl: str
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    #: OPEN: the customer chooses the amount.
    amountType: Literal["FIXED", "OPEN"]
    currency: Literal["MRU"]
    #: The text that the customer sees.
    label: Optional[str]
    #: Your own reference. Null if you sent none.
    merchantReference: Optional[str]
    status: Literal["PENDING", "PAID", "REFUNDED", "CANCELLED", "FAILED"]
    #: True for test data, which moves no money.
    sandbox: bool
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    #: When the intent becomes CANCELLED if it is not paid.
    expiresAt: str
    createdAt: str
    #: What created the intent: API or TILL. Later versions may add values.
    type: str
    #: Null until the intent is paid.
    payment: Optional[Payment]
    #: Oldest first.
    refunds: List[Refund]
    #: Centimes. The sum of the refunds that SUCCEEDED.
    totalAmountRefunded: int
    updatedAt: str


class Intent(_Intent, total=False):
    #: Present only when CANCELLED.
    cancellationReason: Literal["requested_by_merchant", "cancelled_by_operator", "expired"]
    failure: PaymentFailure


class IntentPage(TypedDict):
    items: List[Intent]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class LedgerEntry(TypedDict):
    id: str
    #: Counts from 1, without gaps.
    number: int
    #: A `fee` is what you pay for a payment, or the part of it that a refund returns. A `payout` is money sent to
    #: you.
    type: Literal["payment", "refund", "fee", "payout"]
    #: Centimes. The change in the balance: negative if it decreases.
    amount: int
    #: Centimes. The balance after the entry.
    balance: int
    #: Null for a payout.
    referenceNumber: Optional[str]
    #: Your own reference for the payment, or null.
    merchantReference: Optional[str]
    #: Null unless a refund caused the entry.
    refundId: Optional[str]
    #: The reference of a payout. Null for other entries.
    payoutReference: Optional[str]
    #: The UTC day of the payment, refund or payout. If that day was already closed, `bookedAt` is on a later day.
    day: str
    #: The entry is in the statement for this UTC day.
    bookedAt: str


class LedgerEntryPage(TypedDict):
    items: List[LedgerEntry]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class ListWebhookReplaysResult(TypedDict):
    items: List[ListWebhookReplaysResultItemsItem]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


ListWebhookReplaysResultItemsItem = TypedDict(
    "ListWebhookReplaysResultItemsItem",
    {
        "id": "str",
        "endpointId": "str",
        "status": "Literal['RUNNING', 'DONE', 'CANCELLED']",
        "cancellationReason": "Optional[Literal['requested', 'endpoint_gone']]",
        "from": "str",
        "to": "str",
        "events": "List[EventName]",
        "onlyUndelivered": "bool",
        "dryRun": "bool",
        "total": "int",
        "requeued": "int",
        "created": "int",
        "skipped": "int",
        "sandbox": "bool",
        "createdAt": "str",
        "finishedAt": "Optional[str]",
    },
)


class ListedRefund(TypedDict):
    id: str
    #: The payment intent.
    referenceNumber: str
    #: Your own reference for the payment, or null.
    merchantReference: Optional[str]
    #: Centimes.
    amount: int
    currency: Literal["MRU"]
    #: The note that you sent.
    reason: Optional[str]
    status: Literal["SUCCEEDED"]
    #: Centimes. The returned fees: `providerTtc` to you, `payerTtc` to the customer.
    returnedFees: ListedRefundReturnedFees
    #: When you requested the refund.
    createdAt: str
    #: When the refund succeeded.
    refundedAt: str
    #: When the refund was booked. `from` and `to` refer to this time.
    bookedAt: str


class ListedRefundReturnedFees(TypedDict):
    providerTtc: int
    payerTtc: int


class ListedWebhookEndpoint(TypedDict):
    id: str
    url: str
    #: The events that the endpoint receives.
    events: List[EventName]
    #: If false, it gets no events, and deliveries that fall due become CANCELLED.
    active: bool
    #: The names of your own headers. Their values are never shown.
    headerNames: List[str]
    #: If true, the endpoint receives only test events.
    sandbox: bool
    createdAt: str
    health: WebhookEndpointHealth
    last24Hours: WebhookEndpointLastDay


class LoggedEvent(TypedDict):
    #: The id of the event, as in the header whose name ends in `-Event-Id`.
    id: str
    type: EventName
    #: When the event happened.
    createdAt: str
    #: The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint.
    referenceNumber: str
    #: True for test data, which moves no money.
    sandbox: bool
    #: The body of the webhook, except that its `id` is the `id` of the event.
    body: Union[PaymentCreatedEvent, PaymentConfirmedEvent, PaymentCancelledEvent, PaymentExpiredEvent, PaymentRefundedEvent, PaymentFailedEvent, OrderNewEvent, EndpointFailingEvent]


class Order(TypedDict):
    _id: str
    number: str
    status: Literal["PLACED"]
    items: List[OrderItem]
    #: Centimes. The sum of all items.
    total: int
    currency: Literal["MRU"]
    customer: Optional[Customer]
    #: True for test data, which moves no money.
    sandbox: bool
    createdAt: str


class OrderItem(TypedDict):
    productId: str
    variantId: str
    name: str
    variantLabel: str
    sku: Optional[str]
    #: Centimes per unit.
    unitPrice: int
    quantity: int
    #: Centimes: `unitPrice` times `quantity`.
    total: int


class OrderNewEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["order.new"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: OrderNewEventData


class OrderNewEventData(TypedDict):
    _id: str
    reference_number: str
    number: str
    status: Literal["PLACED"]
    items: List[OrderNewEventDataItemsItem]
    total: int
    currency: Literal["MRU"]
    customer: Optional[OrderNewEventDataCustomer]
    created_at: str


class OrderNewEventDataCustomer(TypedDict):
    name: Optional[str]
    phone: Optional[str]
    email: Optional[str]


class OrderNewEventDataItemsItem(TypedDict):
    product_id: str
    variant_id: str
    name: str
    variant_label: str
    sku: Optional[str]
    unit_price: int
    quantity: int
    total: int


class OrderPage(TypedDict):
    items: List[Order]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class Payment(TypedDict):
    #: Centimes, without any fee that the customer pays.
    amountPaid: int
    paidAt: str
    #: How the customer paid: WALLET. Later versions may add values.
    method: str
    #: Centimes. Null for a publishable key.
    commission: Optional[PaymentCommission]


class PaymentCancelledEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.cancelled"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: PaymentCancelledEventData


class PaymentCancelledEventData(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["CANCELLED"]
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    paid_at: None
    payer_phone: None
    commission: PaymentCreatedEventDataCommission


class PaymentCommission(TypedDict):
    #: Your fee.
    providerTtc: int
    #: The customer's fee.
    payerTtc: int
    #: The tax TOF.
    tof: int
    #: The tax TTE.
    tte: int
    #: The fees without the taxes.
    totalRevenue: int


class PaymentConfirmedEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.confirmed"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: PaymentConfirmedEventData


class PaymentConfirmedEventData(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["PAID"]
    #: Centimes. The amount that the customer paid, without fees.
    amount: int
    paid_at: str
    #: The customer's phone number, masked as `22 ** ** 45`.
    payer_phone: str
    commission: PaymentConfirmedEventDataCommission


class PaymentConfirmedEventDataCommission(TypedDict):
    provider_ttc: int
    payer_ttc: int
    tof: int
    tte: int
    total_revenue: int


class PaymentCreatedEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.created"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: PaymentCreatedEventData


class PaymentCreatedEventData(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["PENDING"]
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    paid_at: None
    payer_phone: None
    commission: PaymentCreatedEventDataCommission


class PaymentCreatedEventDataCommission(TypedDict):
    provider_ttc: int
    payer_ttc: int
    tof: int
    tte: int
    total_revenue: int


class PaymentExpiredEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.expired"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: PaymentCancelledEventData


class PaymentFailedEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.failed"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: Union[PaymentFailedEventData1, PaymentFailedEventData2]


class PaymentFailedEventData1(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["PENDING"]
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    paid_at: None
    payer_phone: None
    commission: PaymentCreatedEventDataCommission
    failure: PaymentFailedEventData1Failure


class PaymentFailedEventData1Failure(TypedDict):
    code: Literal["insufficient_funds", "limit_exceeded", "declined"]
    retryable: Literal[True]


class PaymentFailedEventData2(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["FAILED"]
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    paid_at: None
    payer_phone: None
    commission: PaymentCreatedEventDataCommission
    failure: PaymentFailedEventData2Failure


class PaymentFailedEventData2Failure(TypedDict):
    code: Literal["technical_error", "wallet_closed"]
    retryable: Literal[False]


class PaymentFailure(TypedDict):
    #: Why the payment failed.
    code: Literal["insufficient_funds", "limit_exceeded", "declined", "technical_error", "wallet_closed"]
    #: Whether the customer can try again.
    retryable: bool


class PaymentRefundedEvent(TypedDict):
    #: The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in
    #: base64url. In the event log, this is the id of the event.
    id: str
    event: Literal["payment.refunded"]
    #: When the event happened.
    created_at: str
    #: True for test data, which moves no money.
    sandbox: bool
    data: PaymentRefundedEventData


class PaymentRefundedEventData(TypedDict):
    #: The `referenceNumber` of the payment intent.
    reference_number: str
    #: The last part of `payUrl`.
    short_code: str
    #: Your own reference. Null if you sent none.
    merchant_reference: Optional[str]
    currency: Literal["MRU"]
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    status: Literal["REFUNDED"]
    #: Centimes. The amount that the customer paid, without fees.
    amount: int
    paid_at: str
    #: The customer's phone number, masked as `22 ** ** 45`.
    payer_phone: str
    commission: PaymentConfirmedEventDataCommission
    refund: PaymentRefundedEventDataRefund


class PaymentRefundedEventDataRefund(TypedDict):
    id: str
    amount: int
    #: The fees returned to you and to the customer with this refund, in centimes.
    returned_fees: PaymentRefundedEventDataRefundReturnedFees
    reason: Optional[str]


class PaymentRefundedEventDataRefundReturnedFees(TypedDict):
    provider_ttc: int
    payer_ttc: int


class Product(TypedDict):
    _id: str
    #: Identifies the product in CSV files.
    handle: str
    name: str
    description: str
    images: List[str]
    #: Whether the product is for sale.
    active: bool
    #: True for test data, which moves no money.
    sandbox: bool
    variants: List[Variant]
    createdAt: str
    updatedAt: str


class ProductPage(TypedDict):
    items: List[Product]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class Refund(TypedDict):
    id: str
    #: Centimes.
    amount: int
    #: The fees returned with this refund, in centimes. Null for a publishable key.
    returnedFees: Optional[RefundReturnedFees]
    currency: Literal["MRU"]
    #: The note that you sent. Null for a publishable key.
    reason: Optional[str]
    #: PENDING until the wallet confirms it.
    status: Literal["PENDING", "SUCCEEDED"]
    createdAt: str
    #: When it succeeded. Null while PENDING.
    refundedAt: Optional[str]


class RefundPage(TypedDict):
    items: List[ListedRefund]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class RefundReturnedFees(TypedDict):
    #: The part of your fee that you get back.
    providerTtc: int
    #: Returned to the customer in addition to the amount.
    payerTtc: int


class _RefundedIntent(TypedDict):
    #: Identifies the intent in all other operations.
    referenceNumber: str
    #: The last part of `payUrl`.
    shortCode: str
    #: The payment code. Null once it no longer works.
    code: Optional[str]
    #: When `code` stops working. Null if `code` is null.
    codeExpiresAt: Optional[str]
    #: Where the customer types `code`, or null.
    codeUrl: Optional[str]
    #: The page where the customer pays.
    payUrl: str
    #: Centimes. Null for an OPEN intent.
    amount: Optional[int]
    #: OPEN: the customer chooses the amount.
    amountType: Literal["FIXED", "OPEN"]
    currency: Literal["MRU"]
    #: The text that the customer sees.
    label: Optional[str]
    #: Your own reference. Null if you sent none.
    merchantReference: Optional[str]
    status: Literal["PENDING", "PAID", "REFUNDED", "CANCELLED", "FAILED"]
    #: True for test data, which moves no money.
    sandbox: bool
    #: The data that you sent when you created the intent.
    metadata: Dict[str, str]
    #: When the intent becomes CANCELLED if it is not paid.
    expiresAt: str
    createdAt: str
    #: What created the intent: API or TILL. Later versions may add values.
    type: str
    #: Null until the intent is paid.
    payment: Optional[Payment]
    #: Oldest first.
    refunds: List[Refund]
    #: Centimes. The sum of the refunds that SUCCEEDED.
    totalAmountRefunded: int
    updatedAt: str
    refund: Refund


class RefundedIntent(_RefundedIntent, total=False):
    #: Present only when CANCELLED.
    cancellationReason: Literal["requested_by_merchant", "cancelled_by_operator", "expired"]
    failure: PaymentFailure


ReplayWebhookEventsResult = TypedDict(
    "ReplayWebhookEventsResult",
    {
        "id": "Optional[str]",
        "endpointId": "str",
        "status": "Optional[Literal['RUNNING', 'DONE', 'CANCELLED']]",
        "cancellationReason": "Optional[Literal['requested', 'endpoint_gone']]",
        "from": "str",
        "to": "str",
        "events": "List[EventName]",
        "onlyUndelivered": "bool",
        "dryRun": "bool",
        "total": "int",
        "requeued": "int",
        "created": "int",
        "skipped": "int",
        "sandbox": "bool",
        "createdAt": "str",
        "finishedAt": "Optional[str]",
        "undelivered": "Optional[int]",
    },
)


class RetriedWebhookDelivery(TypedDict):
    #: Also the `id` in the body of every attempt.
    id: str
    endpointId: str
    #: The URL of the last attempt. Before the first one, the URL of the endpoint.
    url: Optional[str]
    event: EventName
    #: The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint.
    referenceNumber: str
    status: Literal["PENDING", "RETRYING", "DELIVERED", "DEAD", "CANCELLED"]
    #: The number of finished attempts.
    attempts: Optional[int]
    #: 8, plus one for each requested retry.
    maxAttempts: Optional[int]
    #: When the next attempt is due: in the past during an attempt, or null if none follows.
    nextAttemptAt: Optional[str]
    lastAttemptAt: Optional[str]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    lastResponseStatus: Optional[int]
    #: The stage at which the last attempt failed. Null if it succeeded.
    lastError: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
    #: Milliseconds.
    lastDurationMs: Optional[int]
    #: True for test data, which moves no money.
    sandbox: bool
    createdAt: str
    deliveredAt: Optional[str]
    #: Whether the service will make one more attempt now.
    retried: bool
    #: Why there will be no attempt: `delivered`, `under_way` (due or in progress) or `endpoint_gone` (deleted or not
    #: active). Null if there will be one.
    reason: Optional[Literal["delivered", "under_way", "endpoint_gone"]]


class RetryWebhookDeliveriesResult(TypedDict):
    #: The number of deliveries that get one more attempt now.
    requeued: int
    #: The number of matching deliveries that get no attempt, by reason.
    skipped: RetryWebhookDeliveriesResultSkipped
    #: Whether more deliveries match.
    hasMore: bool
    #: The `after` for the next request, or null.
    next: Optional[str]


class RetryWebhookDeliveriesResultSkipped(TypedDict):
    delivered: int
    under_way: int
    endpoint_gone: int


class SimulateOrderCustomer(TypedDict, total=False):
    name: Optional[str]
    phone: Optional[str]
    email: Optional[str]


class _SimulateOrderItemsItem(TypedDict):
    productId: str
    quantity: int


class SimulateOrderItemsItem(_SimulateOrderItemsItem, total=False):
    #: Send either this or `variantLabel`. Omit both if the product has only one variant.
    variantId: Optional[str]
    variantLabel: Optional[str]


class Statement(TypedDict):
    day: str
    #: Centimes. The balance at the start of the day.
    opening: int
    payments: StatementPayments
    refunds: StatementPayments
    fees: StatementFees
    payouts: StatementPayments
    #: Centimes. `opening` + payments - refunds - fees - payouts.
    closing: int
    #: Whether the day is over. A closed statement never changes.
    closed: bool


class StatementFees(TypedDict):
    #: Centimes. Payment fees minus the fees returned by refunds. May be negative.
    amount: int


class StatementPage(TypedDict):
    items: List[Statement]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class StatementPayments(TypedDict):
    count: int
    #: Centimes. Never negative.
    amount: int


class StockedVariant(TypedDict):
    productId: str
    _id: Optional[str]
    label: Optional[str]
    sku: Optional[str]
    #: Centimes.
    price: Optional[int]
    #: The number of units in stock after the change.
    stock: Optional[int]


class UpdateProductVariantsItem(TypedDict, total=False):
    _id: Optional[str]
    #: For example, a size.
    label: Optional[str]
    #: Centimes.
    price: Optional[int]
    #: The number of units in stock.
    stock: Optional[int]
    #: Your own stock keeping unit. It must be unique within the shop.
    sku: Optional[str]


class Variant(TypedDict):
    _id: str
    label: str
    sku: Optional[str]
    #: Centimes.
    price: int
    #: The number of units in stock.
    stock: int


class WebhookDelivery(TypedDict):
    #: Also the `id` in the body of every attempt.
    id: str
    endpointId: str
    #: The URL of the last attempt. Before the first one, the URL of the endpoint.
    url: Optional[str]
    event: EventName
    #: The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint.
    referenceNumber: str
    status: Literal["PENDING", "RETRYING", "DELIVERED", "DEAD", "CANCELLED"]
    #: The number of finished attempts.
    attempts: Optional[int]
    #: 8, plus one for each requested retry.
    maxAttempts: Optional[int]
    #: When the next attempt is due: in the past during an attempt, or null if none follows.
    nextAttemptAt: Optional[str]
    lastAttemptAt: Optional[str]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    lastResponseStatus: Optional[int]
    #: The stage at which the last attempt failed. Null if it succeeded.
    lastError: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
    #: Milliseconds.
    lastDurationMs: Optional[int]
    #: True for test data, which moves no money.
    sandbox: bool
    createdAt: str
    deliveredAt: Optional[str]


class WebhookDeliveryAttempt(TypedDict):
    #: When the attempt began.
    at: str
    url: str
    #: Milliseconds.
    durationMs: int
    #: The HTTP status of your endpoint's response. Null if there was no response.
    responseStatus: Optional[int]
    #: The stage at which the attempt failed. Null if it succeeded.
    error: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
    #: A description of the error.
    message: Optional[str]
    #: The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to
    #: the event.
    responseBody: Optional[str]


class WebhookDeliveryPage(TypedDict):
    items: List[WebhookDelivery]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class WebhookDeliveryWithAttempts(TypedDict):
    #: Also the `id` in the body of every attempt.
    id: str
    endpointId: str
    #: The URL of the last attempt. Before the first one, the URL of the endpoint.
    url: Optional[str]
    event: EventName
    #: The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint.
    referenceNumber: str
    status: Literal["PENDING", "RETRYING", "DELIVERED", "DEAD", "CANCELLED"]
    #: The number of finished attempts.
    attempts: Optional[int]
    #: 8, plus one for each requested retry.
    maxAttempts: Optional[int]
    #: When the next attempt is due: in the past during an attempt, or null if none follows.
    nextAttemptAt: Optional[str]
    lastAttemptAt: Optional[str]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    lastResponseStatus: Optional[int]
    #: The stage at which the last attempt failed. Null if it succeeded.
    lastError: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
    #: Milliseconds.
    lastDurationMs: Optional[int]
    #: True for test data, which moves no money.
    sandbox: bool
    createdAt: str
    deliveredAt: Optional[str]
    #: The headers of the last attempt, without signatures or connection headers such as `Host`. Null before the
    #: first attempt.
    lastAttemptHeaders: Optional[Dict[str, str]]
    #: The body of every attempt, parsed. Null if the key may not subscribe to the event.
    payload: Optional[Dict[str, Any]]
    #: The latest 50 attempts, oldest first.
    attemptLog: List[WebhookDeliveryAttempt]


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    #: The events that the endpoint receives.
    events: List[EventName]
    #: If false, it gets no events, and deliveries that fall due become CANCELLED.
    active: bool
    #: The names of your own headers. Their values are never shown.
    headerNames: List[str]
    #: If true, the endpoint receives only test events.
    sandbox: bool
    createdAt: str
    health: WebhookEndpointHealth


class WebhookEndpointHealth(TypedDict):
    lastSuccessAt: Optional[str]
    lastFailureAt: Optional[str]
    #: The number of failed attempts since the last success.
    failuresInRow: int
    #: The stage of the last failure. Null if there was none.
    lastError: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]


class WebhookEndpointLastDay(TypedDict):
    #: The number of attempts that ended in this hour and the 23 hours before it, excluding tests. It may lag by a
    #: few seconds.
    attempts: int
    #: How many of these attempts succeeded.
    succeeded: int
    #: `succeeded` divided by `attempts`. Null if there were no attempts.
    successRate: Optional[float]
    #: The last failed attempt. Null if none failed.
    lastError: Optional[WebhookEndpointLastDayLastError]


class WebhookEndpointLastDayLastError(TypedDict):
    #: When the attempt ended.
    at: str
    #: The stage at which the attempt failed.
    error: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
    #: The HTTP status of your endpoint's response. Null if there was no response.
    responseStatus: Optional[int]


class WebhookEndpointPage(TypedDict):
    items: List[ListedWebhookEndpoint]
    page: int
    #: The number of items per page.
    limit: int
    #: The number of items on all pages.
    total: int
    #: Whether there is another page.
    hasMore: bool


class WebhookEndpointWithSecret(TypedDict):
    id: str
    url: str
    #: The events that the endpoint receives.
    events: List[EventName]
    #: If false, it gets no events, and deliveries that fall due become CANCELLED.
    active: bool
    #: The names of your own headers. Their values are never shown.
    headerNames: List[str]
    #: If true, the endpoint receives only test events.
    sandbox: bool
    createdAt: str
    health: WebhookEndpointHealth
    #: Signs the deliveries to this endpoint. Store it: no later response contains it.
    secret: str
    #: The same secret for libraries that support Standard Webhooks.
    standardSecret: str


class WebhookTestResult(TypedDict):
    deliveryId: str
    event: EventName
    #: Whether the endpoint responded with 2xx.
    delivered: bool
    #: The HTTP status of your endpoint's response. Null if there was no response.
    responseStatus: Optional[int]
    #: Milliseconds.
    durationMs: int
    #: The stage at which the attempt failed. Null if it succeeded.
    error: Optional[Literal["status", "dns", "address", "connect", "refused", "tls", "timeout", "closed", "protocol", "too_large", "proxy"]]
