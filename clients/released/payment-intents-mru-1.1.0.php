<?php

// A client for the payment intents API, in one file. It needs PHP 8.0 or later.
//
//   require 'payment-intents-mru-1.0.0.php';
//   $payments = new PaymentIntentsMru\Payments(key: getenv('KEY'), baseUrl: getenv('BASE'));
//   $intent = $payments->createIntent(['amount' => 50000, 'label' => 'Order 1042']);

declare(strict_types=1);

namespace PaymentIntentsMru;

// Generated from the OpenAPI document:

const VERSION = '1.1.0';

/** The operations that return a page of a list, and the ids that they take. */
const LISTS = [
    'listIntents' => [],
    'listBalanceEntries' => [],
    'listRefunds' => [],
    'listWebhookEndpoints' => [],
    'listWebhookDeliveries' => [],
    'listWebhookReplays' => ['id'],
    'listEvents' => [],
    'listProducts' => [],
    'listOrders' => [],
];

/**
 * The operations of the API, with types for PHPStan and Psalm.
 *
 * @phpstan-type CreatedIntent array{referenceNumber: string, shortCode: string, code: string, codeExpiresAt: string, codeUrl: string, payUrl: string, amount: int|null, amountType: 'FIXED'|'OPEN', currency: 'MRU', label: string|null, merchantReference: string|null, status: 'PENDING', sandbox: bool, metadata: array<string, string>, expiresAt: string, createdAt: string}
 * @phpstan-type IntentPage array{items: list<Intent>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type Intent array{referenceNumber: string, shortCode: string, code: string|null, codeExpiresAt: string|null, codeUrl: string|null, payUrl: string, amount: int|null, amountType: 'FIXED'|'OPEN', currency: 'MRU', label: string|null, merchantReference: string|null, status: 'PENDING'|'PAID'|'REFUNDED'|'CANCELLED'|'FAILED', sandbox: bool, metadata: array<string, string>, expiresAt: string, createdAt: string, type: string, payment: Payment|null, refunds: list<Refund>, totalAmountRefunded: int, updatedAt: string, cancellationReason?: 'requested_by_merchant'|'cancelled_by_operator'|'expired', failure?: PaymentFailure}
 * @phpstan-type Payment array{amountPaid: int, paidAt: string, method: string, commission: array{providerTtc: int, payerTtc: int, tof: int, tte: int, totalRevenue: int}|null}
 * @phpstan-type Refund array{id: string, amount: int, returnedFees: array{providerTtc: int, payerTtc: int}|null, currency: 'MRU', reason: string|null, status: 'PENDING'|'SUCCEEDED', createdAt: string, refundedAt: string|null}
 * @phpstan-type PaymentFailure array{code: 'insufficient_funds'|'limit_exceeded'|'declined'|'technical_error'|'wallet_closed', retryable: bool}
 * @phpstan-type RefundedIntent array{referenceNumber: string, shortCode: string, code: string|null, codeExpiresAt: string|null, codeUrl: string|null, payUrl: string, amount: int|null, amountType: 'FIXED'|'OPEN', currency: 'MRU', label: string|null, merchantReference: string|null, status: 'PENDING'|'PAID'|'REFUNDED'|'CANCELLED'|'FAILED', sandbox: bool, metadata: array<string, string>, expiresAt: string, createdAt: string, type: string, payment: Payment|null, refunds: list<Refund>, totalAmountRefunded: int, updatedAt: string, refund: Refund, cancellationReason?: 'requested_by_merchant'|'cancelled_by_operator'|'expired', failure?: PaymentFailure}
 * @phpstan-type Balance array{currency: 'MRU', amount: int, asOf: string}
 * @phpstan-type LedgerEntryPage array{items: list<LedgerEntry>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type LedgerEntry array{id: string, number: int, type: 'payment'|'refund'|'fee'|'payout', amount: int, balance: int, referenceNumber: string|null, merchantReference: string|null, refundId: string|null, payoutReference: string|null, day: string, bookedAt: string}
 * @phpstan-type RefundPage array{items: list<ListedRefund>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type ListedRefund array{id: string, referenceNumber: string, merchantReference: string|null, amount: int, currency: 'MRU', reason: string|null, status: 'SUCCEEDED', returnedFees: array{providerTtc: int, payerTtc: int}, createdAt: string, refundedAt: string, bookedAt: string}
 * @phpstan-type StatementPage array{items: list<Statement>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type Statement array{day: string, opening: int, payments: array{count: int, amount: int}, refunds: array{count: int, amount: int}, fees: array{amount: int}, payouts: array{count: int, amount: int}, closing: int, closed: bool}
 * @phpstan-type WebhookEndpointWithSecret array{id: string, url: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, active: bool, headerNames: list<string>, sandbox: bool, createdAt: string, health: WebhookEndpointHealth, secret: string, standardSecret: string}
 * @phpstan-type WebhookEndpointHealth array{lastSuccessAt: string|null, lastFailureAt: string|null, failuresInRow: int, lastError: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null}
 * @phpstan-type ListedWebhookEndpoint array{id: string, url: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, active: bool, headerNames: list<string>, sandbox: bool, createdAt: string, health: WebhookEndpointHealth, last24Hours: WebhookEndpointLastDay}
 * @phpstan-type WebhookEndpointLastDay array{attempts: int, succeeded: int, successRate: float|null, lastError: array{at: string, error: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null, responseStatus: int|null}|null}
 * @phpstan-type WebhookEndpoint array{id: string, url: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, active: bool, headerNames: list<string>, sandbox: bool, createdAt: string, health: WebhookEndpointHealth}
 * @phpstan-type DeletedWebhookEndpoint array{id: string, deleted: true}
 * @phpstan-type WebhookTestResult array{deliveryId: string, event: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', delivered: bool, responseStatus: int|null, durationMs: int, error: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null}
 * @phpstan-type WebhookEndpointPage array{items: list<ListedWebhookEndpoint>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type WebhookDeliveryPage array{items: list<WebhookDelivery>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type WebhookDelivery array{id: string, endpointId: string, url: string|null, event: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', referenceNumber: string, status: 'PENDING'|'RETRYING'|'DELIVERED'|'DEAD'|'CANCELLED', attempts: int|null, maxAttempts: int|null, nextAttemptAt: string|null, lastAttemptAt: string|null, lastResponseStatus: int|null, lastError: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null, lastDurationMs: int|null, sandbox: bool, createdAt: string, deliveredAt: string|null}
 * @phpstan-type WebhookDeliveryWithAttempts array{id: string, endpointId: string, url: string|null, event: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', referenceNumber: string, status: 'PENDING'|'RETRYING'|'DELIVERED'|'DEAD'|'CANCELLED', attempts: int|null, maxAttempts: int|null, nextAttemptAt: string|null, lastAttemptAt: string|null, lastResponseStatus: int|null, lastError: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null, lastDurationMs: int|null, sandbox: bool, createdAt: string, deliveredAt: string|null, lastAttemptHeaders: array<string, string>|null, payload: array<string, mixed>|null, attemptLog: list<WebhookDeliveryAttempt>}
 * @phpstan-type WebhookDeliveryAttempt array{at: string, url: string, durationMs: int, responseStatus: int|null, error: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null, message: string|null, responseBody: string|null}
 * @phpstan-type RetriedWebhookDelivery array{id: string, endpointId: string, url: string|null, event: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', referenceNumber: string, status: 'PENDING'|'RETRYING'|'DELIVERED'|'DEAD'|'CANCELLED', attempts: int|null, maxAttempts: int|null, nextAttemptAt: string|null, lastAttemptAt: string|null, lastResponseStatus: int|null, lastError: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy'|null, lastDurationMs: int|null, sandbox: bool, createdAt: string, deliveredAt: string|null, retried: bool, reason: 'delivered'|'under_way'|'endpoint_gone'|null}
 * @phpstan-type EventPage array{items: list<LoggedEvent>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type LoggedEvent array{id: string, type: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', createdAt: string, referenceNumber: string, sandbox: bool, body: PaymentCreatedEvent|PaymentConfirmedEvent|PaymentCancelledEvent|PaymentExpiredEvent|PaymentRefundedEvent|PaymentFailedEvent|OrderNewEvent|EndpointFailingEvent}
 * @phpstan-type PaymentCreatedEvent array{id: string, event: 'payment.created', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'PENDING', amount: int|null, paid_at: null, payer_phone: null, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}}}
 * @phpstan-type PaymentConfirmedEvent array{id: string, event: 'payment.confirmed', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'PAID', amount: int, paid_at: string, payer_phone: string, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}}}
 * @phpstan-type PaymentCancelledEvent array{id: string, event: 'payment.cancelled', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'CANCELLED', amount: int|null, paid_at: null, payer_phone: null, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}}}
 * @phpstan-type PaymentExpiredEvent array{id: string, event: 'payment.expired', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'CANCELLED', amount: int|null, paid_at: null, payer_phone: null, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}}}
 * @phpstan-type PaymentRefundedEvent array{id: string, event: 'payment.refunded', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'REFUNDED', amount: int, paid_at: string, payer_phone: string, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}, refund: array{id: string, amount: int, returned_fees: array{provider_ttc: int, payer_ttc: int}, reason: string|null}}}
 * @phpstan-type PaymentFailedEvent array{id: string, event: 'payment.failed', created_at: string, sandbox: bool, data: array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'PENDING', amount: int|null, paid_at: null, payer_phone: null, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}, failure: array{code: 'insufficient_funds'|'limit_exceeded'|'declined', retryable: true}}|array{reference_number: string, short_code: string, merchant_reference: string|null, currency: 'MRU', metadata: array<string, string>, status: 'FAILED', amount: int|null, paid_at: null, payer_phone: null, commission: array{provider_ttc: int, payer_ttc: int, tof: int, tte: int, total_revenue: int}, failure: array{code: 'technical_error'|'wallet_closed', retryable: false}}}
 * @phpstan-type OrderNewEvent array{id: string, event: 'order.new', created_at: string, sandbox: bool, data: array{_id: string, reference_number: string, number: string, status: 'PLACED', items: list<array{product_id: string, variant_id: string, name: string, variant_label: string, sku: string|null, unit_price: int, quantity: int, total: int}>, total: int, currency: 'MRU', customer: array{name: string|null, phone: string|null, email: string|null}|null, created_at: string}}
 * @phpstan-type EndpointFailingEvent array{id: string, event: 'endpoint.failing', created_at: string, sandbox: bool, data: array{endpoint_id: string, reference_number: string, url: string, status: 'FAILING', failing_since: string, recovered_at: null, last_error: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy', last_response_status: int|null}|array{endpoint_id: string, reference_number: string, url: string, status: 'RECOVERED', failing_since: string, recovered_at: string, last_error: 'status'|'dns'|'address'|'connect'|'refused'|'tls'|'timeout'|'closed'|'protocol'|'too_large'|'proxy', last_response_status: int|null}}
 * @phpstan-type EventFeed array{items: list<LoggedEvent>, next: string, hasMore: bool}
 * @phpstan-type ImportResult array{created: int, updated: int, unchanged: int, variants: int, rows: int, dryRun?: true, handles?: array{created: list<string>, updated: list<string>, unchanged: list<string>}}
 * @phpstan-type Product array{_id: string, handle: string, name: string, description: string, images: list<string>, active: bool, sandbox: bool, variants: list<Variant>, createdAt: string, updatedAt: string}
 * @phpstan-type Variant array{_id: string, label: string, sku: string|null, price: int, stock: int}
 * @phpstan-type ProductPage array{items: list<Product>, page: int, limit: int, total: int, hasMore: bool}
 * @phpstan-type DeletedProduct array{_id: string, deleted: true}
 * @phpstan-type StockedVariant array{productId: string, _id: string|null, label: string|null, sku: string|null, price: int|null, stock: int|null}
 * @phpstan-type Order array{_id: string, number: string, status: 'PLACED', items: list<OrderItem>, total: int, currency: 'MRU', customer: Customer|null, sandbox: bool, createdAt: string}
 * @phpstan-type OrderItem array{productId: string, variantId: string, name: string, variantLabel: string, sku: string|null, unitPrice: int, quantity: int, total: int}
 * @phpstan-type Customer array{name: string|null, phone: string|null, email: string|null}
 * @phpstan-type OrderPage array{items: list<Order>, page: int, limit: int, total: int, hasMore: bool}
 */
abstract class Operations
{
    /**
     * Create a payment intent.
     *
     * Creates a payment to collect: the customer pays on the page at `payUrl`, or types `code` at `codeUrl`, for
     * example at a counter. An intent not paid before `expiresAt` becomes CANCELLED.
     *
     * Requires a secret key with the scope `payments.intents:write`.
     *
     * - `amount`: Centimes. Required for a FIXED intent. For an OPEN intent, the amount that the payment page
     * suggests.
     * - `amountType`: FIXED: you set the amount. OPEN: the customer chooses it. Defaults to FIXED.
     * - `label`: A text that the customer sees, such as an order number.
     * - `merchantReference`: Your own reference, such as an order number. Only one PENDING, PAID or REFUNDED
     * intent can have it.
     * - `metadata`: Your own keys and string values, which the intent and its events contain.
     * - `success_url`: The page to which the customer returns after paying: https with a live key. Empty means
     * none.
     * - `cancel_url`: The page to which the customer returns without paying: https with a live key. Empty means
     * none.
     *
     * @param array{amount?: int|null, amountType?: 'FIXED'|'OPEN'|null, label?: string|null, merchantReference?: string|null, metadata?: array<string, string>|null, success_url?: string|null, cancel_url?: string|null} $input
     * @return CreatedIntent
     */
    public function createIntent(
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/intents', 'body' => ['metadata']];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List payment intents.
     *
     * Returns the payment intents of the key's environment, newest first. You can filter by payment time, refund
     * time or amount, but by only one of these three at a time.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `status`: Only intents in this status.
     * - `merchantReference`: Only intents with this merchantReference.
     * - `from`: Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items created at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `paidFrom`: Only intents paid at or after this ISO 8601 date or date-time. Without an offset, the time
     * is UTC.
     * - `paidTo`: Only intents paid at or before this ISO 8601 date or date-time. A date means the end of that
     * day.
     * - `refundedFrom`: Only intents with a refund that SUCCEEDED at or after this ISO 8601 date or date-time.
     * Without an offset, the time is UTC.
     * - `refundedTo`: Only intents with a refund that SUCCEEDED at or before this ISO 8601 date or date-time. A
     * date means the end of that day. One refund must match both.
     * - `minAmount`: Only intents whose paid amount, or `amount` while unpaid, is at least this many centimes.
     * - `maxAmount`: Only intents of at most this many centimes.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{status?: 'PENDING'|'PAID'|'REFUNDED'|'CANCELLED'|'FAILED', merchantReference?: string, from?: string, to?: string, paidFrom?: string, paidTo?: string, refundedFrom?: string, refundedTo?: string, minAmount?: int, maxAmount?: int, page?: int, limit?: int} $input
     * @return IntentPage
     */
    public function listIntents(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/intents'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve a payment intent.
     *
     * You can also use a publishable key, but then you get no fees and no refund reasons.
     *
     * Requires a key with the scope `payments.intents:read`.
     *
     * @return Intent
     */
    public function getIntent(
        string $referenceNumber,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/intents/{referenceNumber}'];
        return $this->call($operation, ['referenceNumber' => $referenceNumber], [], $timeout, $maxRetries);
    }

    /**
     * Cancel a payment intent.
     *
     * Only a PENDING intent can be cancelled. It can then no longer be paid. After INTENT_CANCEL_CONFLICT,
     * retrieve the intent: a customer is paying it, or it has just changed.
     *
     * Requires a secret key with the scope `payments.intents:write`.
     *
     * @return Intent
     */
    public function cancelIntent(
        string $referenceNumber,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/intents/{referenceNumber}/cancel'];
        return $this->call($operation, ['referenceNumber' => $referenceNumber], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Simulate a payment.
     *
     * Pays a test intent as a customer would; no money moves. With `outcome`, the payment fails for the reason
     * that you choose, and the service returns PAYMENT_FAILED.
     *
     * Requires a secret test key with the scope `payments.intents:write`.
     *
     * - `amount`: Centimes. For an OPEN intent, the amount that the customer chooses. For a FIXED intent, its
     * own amount.
     * - `payerPhone`: The phone number of the customer.
     * - `outcome`: The result of the simulated payment. Defaults to success.
     *
     * @param array{amount?: int, payerPhone?: string|null, outcome?: 'success'|'insufficient_funds'|'technical_error'|null} $input
     * @return Intent
     */
    public function simulatePayment(
        string $referenceNumber,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/intents/{referenceNumber}/simulate-payment', 'body' => []];
        return $this->call($operation, ['referenceNumber' => $referenceNumber], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Refund a payment intent.
     *
     * Refunds `amount`, or the remaining balance if you omit it. The response can take up to 20 seconds; after
     * SERVICE_UNAVAILABLE, retry with the same idempotency key.
     *
     * Requires a secret key with the scope `payments.refunds:write`.
     *
     * - `amount`: Centimes. Defaults to the amount not refunded yet.
     * - `reason`: Your own note about the refund.
     * - `expectedRefundable`: Centimes. If another amount can still be refunded, you get REFUND_AMOUNT_MISMATCH.
     *
     * @param array{amount?: int, reason?: string|null, expectedRefundable?: int} $input
     * @return RefundedIntent
     */
    public function refundIntent(
        string $referenceNumber,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/intents/{referenceNumber}/refund', 'body' => []];
        return $this->call($operation, ['referenceNumber' => $referenceNumber], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Retrieve the balance.
     *
     * Returns what the service owes you: payments minus refunds, fees and payouts.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * @return Balance
     */
    public function getBalance(
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/balance'];
        return $this->call($operation, [], [], $timeout, $maxRetries);
    }

    /**
     * List balance entries.
     *
     * Returns every change to the balance, newest first. Each fee is a separate entry.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `type`: Only entries of this type.
     * - `from`: Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items booked at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{type?: 'payment'|'refund'|'fee'|'payout', from?: string, to?: string, page?: int, limit?: int} $input
     * @return LedgerEntryPage
     */
    public function listBalanceEntries(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/balance/entries'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * List refunds.
     *
     * Returns the confirmed refunds of the key's environment, newest first.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `from`: Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items booked at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{from?: string, to?: string, page?: int, limit?: int} $input
     * @return RefundPage
     */
    public function listRefunds(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/refunds'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * List the statements for a month.
     *
     * Returns one statement for each UTC day of the month up to today, oldest first, on one page. With `Accept:
     * text/csv`, you get a CSV file.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `month`: The month, such as `2026-11`. By default, the current month in UTC.
     *
     * @param array{month?: string} $input
     * @return StatementPage
     */
    public function listStatements(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/statements'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve the statement for a day.
     *
     * Returns what was booked on a UTC day. With `Accept: text/csv`, you get a CSV file.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * @return Statement
     */
    public function getStatement(
        string $day,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/statements/{day}'];
        return $this->call($operation, ['day' => $day], [], $timeout, $maxRetries);
    }

    /**
     * Export payments to a file.
     *
     * Returns the payments of a period, one line per payment, with the merchant's and the payer's fees.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `from`: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day.
     * Defaults to now.
     * - `format`: `jsonl` means one JSON object per line. Defaults to `csv`.
     * - `delimiter`: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.
     * With a semicolon, decimals use a comma. Only for `csv`.
     * - `bom`: Whether the file begins with a byte order mark, which Excel needs. By default, only a file with
     * semicolons does. Only for `csv`.
     * - `language`: The language of the column names and entry types of a CSV file. Defaults to English.
     * - `after`: Resumes a download after the line with this `number`, without the column names.
     *
     * @param array{from?: string, to?: string, format?: 'csv'|'jsonl', delimiter?: 'comma'|'semicolon'|','|';', bom?: bool, language?: 'en'|'fr'|'ar', after?: int} $input
     * @return resource The file.
     */
    public function exportPayments(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ) {
        $operation = ['method' => 'GET', 'path' => '/dev/exports/payments', 'isFile' => true];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Export refunds to a file.
     *
     * Returns the completed refunds of a period, one line per refund, with the returned fees.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `from`: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day.
     * Defaults to now.
     * - `format`: `jsonl` means one JSON object per line. Defaults to `csv`.
     * - `delimiter`: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.
     * With a semicolon, decimals use a comma. Only for `csv`.
     * - `bom`: Whether the file begins with a byte order mark, which Excel needs. By default, only a file with
     * semicolons does. Only for `csv`.
     * - `language`: The language of the column names and entry types of a CSV file. Defaults to English.
     * - `after`: Resumes a download after the line with this `number`, without the column names.
     *
     * @param array{from?: string, to?: string, format?: 'csv'|'jsonl', delimiter?: 'comma'|'semicolon'|','|';', bom?: bool, language?: 'en'|'fr'|'ar', after?: int} $input
     * @return resource The file.
     */
    public function exportRefunds(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ) {
        $operation = ['method' => 'GET', 'path' => '/dev/exports/refunds', 'isFile' => true];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Export ledger entries to a file.
     *
     * Returns all changes to the balance during a period: payments, refunds, fees and payouts. Each line also
     * shows the balance after the change.
     *
     * Requires a secret key with the scope `payments.intents:read`.
     *
     * - `from`: Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day.
     * Defaults to now.
     * - `format`: `jsonl` means one JSON object per line. Defaults to `csv`.
     * - `delimiter`: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.
     * With a semicolon, decimals use a comma. Only for `csv`.
     * - `bom`: Whether the file begins with a byte order mark, which Excel needs. By default, only a file with
     * semicolons does. Only for `csv`.
     * - `language`: The language of the column names and entry types of a CSV file. Defaults to English.
     * - `after`: Resumes a download after the line with this `number`, without the column names.
     *
     * @param array{from?: string, to?: string, format?: 'csv'|'jsonl', delimiter?: 'comma'|'semicolon'|','|';', bom?: bool, language?: 'en'|'fr'|'ar', after?: int} $input
     * @return resource The file.
     */
    public function exportLedgerEntries(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ) {
        $operation = ['method' => 'GET', 'path' => '/dev/exports/entries', 'isFile' => true];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Create a webhook endpoint.
     *
     * Registers a URL for your events: only sandbox events with a test key, or sandbox and live events with a
     * live key. Store the `secret`: only a repeat with the same idempotency key returns it again.
     *
     * Requires a secret key with the scope `webhooks.endpoints:write`.
     *
     * - `url`: An https URL with a public host name. The port must be 443, or 1024 or above.
     * - `events`: The events that the endpoint receives.
     * - `headers`: Your own headers for every webhook to this endpoint, such as a password of your gateway: in
     * all, at most 4096 characters, with names that differ in more than case. No response contains the values.
     *
     * @param array{url: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, headers?: array<string, string>|null} $input
     * @return WebhookEndpointWithSecret
     */
    public function createWebhookEndpoint(
        array $input,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/endpoints', 'body' => ['headers']];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Retrieve a webhook endpoint.
     *
     * Returns the endpoint without its secret. `last24Hours` is as in the list.
     *
     * Requires a secret key with the scope `webhooks.endpoints:read`.
     *
     * @return ListedWebhookEndpoint
     */
    public function getWebhookEndpoint(
        string $id,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks/endpoints/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries);
    }

    /**
     * Update a webhook endpoint.
     *
     * Changes only the fields that you send. `events` and `headers` replace all earlier ones.
     *
     * Requires a secret key with the scope `webhooks.endpoints:write`.
     *
     * - `url`: An https URL with a public host name. The port must be 443, or 1024 or above.
     * - `events`: The events that the endpoint receives.
     * - `headers`: Replaces all your headers. Null or `{}` removes them, and so does a URL with another host or
     * port.
     * - `active`: If false, it gets no events, and deliveries that fall due become CANCELLED.
     *
     * @param array{url?: string|null, events?: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>|null, headers?: array<string, string>|null, active?: bool|null} $input
     * @return WebhookEndpoint
     */
    public function updateWebhookEndpoint(
        string $id,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'PUT', 'path' => '/dev/webhooks/endpoints/{id}', 'body' => ['headers']];
        return $this->call($operation, ['id' => $id], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Delete a webhook endpoint.
     *
     * Unfinished deliveries become CANCELLED, and a request already in flight is aborted within 3 seconds. A
     * live key can delete test endpoints too.
     *
     * Requires a secret key with the scope `webhooks.endpoints:write`.
     *
     * @return DeletedWebhookEndpoint
     */
    public function deleteWebhookEndpoint(
        string $id,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'DELETE', 'path' => '/dev/webhooks/endpoints/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Send a test event.
     *
     * Sends one signed sample event, without retries. The status is 200 even if the attempt fails: check
     * `delivered`.
     *
     * Requires a secret key with the scope `webhooks.endpoints:write`.
     *
     * - `event`: Defaults to the endpoint's first event.
     *
     * @param array{event?: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'|null} $input
     * @return WebhookTestResult
     */
    public function testWebhookEndpoint(
        string $id,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/endpoints/{id}/test', 'body' => []];
        return $this->call($operation, ['id' => $id], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Rotate a webhook secret.
     *
     * Creates a new signing secret, which only this response contains. Your key needs the scopes for all events
     * of the endpoint. For 24 hours, deliveries also carry a signature with the old secret.
     *
     * Requires a secret key with the scope `webhooks.endpoints:write`.
     *
     * @return WebhookEndpointWithSecret
     */
    public function rotateWebhookSecret(
        string $id,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/endpoints/{id}/rotate-secret'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List webhook endpoints.
     *
     * Returns the webhook endpoints of one environment, newest first, without their secrets. `last24Hours` shows
     * how many of the latest attempts succeeded.
     *
     * Requires a secret key with the scope `webhooks.endpoints:read`.
     *
     * - `sandbox`: Defaults to the key's environment. Only a live key can choose.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{sandbox?: bool, page?: int, limit?: int} $input
     * @return WebhookEndpointPage
     */
    public function listWebhookEndpoints(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * List webhook deliveries.
     *
     * Returns the webhook deliveries of the key's environment, newest first. For a test key, attempts to live
     * endpoints are hidden, and fields about them are null.
     *
     * Requires a secret key with the scope `webhooks.deliveries:read`.
     *
     * - `status`: Only deliveries in one of these statuses, separated by commas: PENDING, RETRYING, DELIVERED,
     * DEAD, CANCELLED.
     * - `event`: Only deliveries of this event.
     * - `endpointId`: Only deliveries to this endpoint, which may be deleted.
     * - `referenceNumber`: Only deliveries about this payment intent or order.
     * - `responseStatus`: Only deliveries whose last attempt got this HTTP status (`300` to `599`) or class
     * (such as `5xx`).
     * - `from`: Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items created at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{status?: string, event?: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', endpointId?: string, referenceNumber?: string, responseStatus?: string, from?: string, to?: string, page?: int, limit?: int} $input
     * @return WebhookDeliveryPage
     */
    public function listWebhookDeliveries(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks/events'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve a webhook delivery.
     *
     * Returns the delivery with its body, its latest attempts and the headers of the last one.
     *
     * Requires a secret key with the scope `webhooks.deliveries:read`.
     *
     * @return WebhookDeliveryWithAttempts
     */
    public function getWebhookDelivery(
        string $id,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks/events/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries);
    }

    /**
     * Retry webhook deliveries by filter.
     *
     * Retries every matching delivery once, oldest first, up to 500 per request. If `hasMore` is true, repeat it
     * with a new idempotency key and `next` as `after`.
     *
     * Requires a secret key with the scope `webhooks.deliveries:write`.
     *
     * - `status`: Only deliveries in one of these statuses. Defaults to `["DEAD"]`.
     * - `event`: Only deliveries of this event.
     * - `endpointId`: Only deliveries to this endpoint, which may be deleted.
     * - `referenceNumber`: Only deliveries about this payment intent or order.
     * - `responseStatus`: Only deliveries whose last attempt got this HTTP status (`300` to `599`) or class
     * (such as `5xx`).
     * - `from`: Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items created at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `after`: The `next` of the previous response.
     *
     * @param array{status?: list<'DEAD'|'RETRYING'|'CANCELLED'>, event?: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', endpointId?: string, referenceNumber?: string, responseStatus?: string, from?: string, to?: string, after?: string|null} $input
     * @return array{requeued: int, skipped: array{delivered: int, under_way: int, endpoint_gone: int}, hasMore: bool, next: string|null}
     */
    public function retryWebhookDeliveries(
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/events/retry', 'body' => []];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Retry a webhook delivery.
     *
     * Makes one more attempt now, with the same `id` and body, or explains in `reason` why not.
     *
     * Requires a secret key with the scope `webhooks.deliveries:write`.
     *
     * @return RetriedWebhookDelivery
     */
    public function retryWebhookDelivery(
        string $id,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/events/{id}/retry'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Replay events to an endpoint.
     *
     * Sends the events of a period to the endpoint again, oldest first, alongside new events. An existing
     * delivery gets one more attempt with the same `id` and body; a missing one is created.
     *
     * Requires a secret key with the scope `webhooks.deliveries:write`.
     *
     * - `from`: Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the
     * time is UTC.
     * - `to`: Only events that happened at or before this ISO 8601 date or date-time. A date means the end of
     * that day. The default is now.
     * - `events`: Only these events. Defaults to all that the endpoint receives.
     * - `onlyUndelivered`: Leaves out events that your endpoint has accepted.
     * - `dryRun`: If true, the events are only counted, and the status is 200.
     *
     * @param array{from: string, to?: string, events?: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, onlyUndelivered?: bool, dryRun?: bool} $input
     * @return array{id: string|null, endpointId: string, status: 'RUNNING'|'DONE'|'CANCELLED'|null, cancellationReason: 'requested'|'endpoint_gone'|null, from: string, to: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, onlyUndelivered: bool, dryRun: bool, total: int, requeued: int, created: int, skipped: int, sandbox: bool, createdAt: string, finishedAt: string|null, undelivered: int|null}
     */
    public function replayWebhookEvents(
        string $id,
        array $input,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/endpoints/{id}/replay', 'body' => []];
        return $this->call($operation, ['id' => $id], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List the replays of an endpoint.
     *
     * Returns the replays, newest first. They are kept for 90 days, or 30 days in the sandbox.
     *
     * Requires a secret key with the scope `webhooks.deliveries:read`.
     *
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{page?: int, limit?: int} $input
     * @return array{items: list<array{id: string, endpointId: string, status: 'RUNNING'|'DONE'|'CANCELLED', cancellationReason: 'requested'|'endpoint_gone'|null, from: string, to: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, onlyUndelivered: bool, dryRun: bool, total: int, requeued: int, created: int, skipped: int, sandbox: bool, createdAt: string, finishedAt: string|null}>, page: int, limit: int, total: int, hasMore: bool}
     */
    public function listWebhookReplays(
        string $id,
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks/endpoints/{id}/replays'];
        return $this->call($operation, ['id' => $id], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve a replay.
     *
     * Returns the replay. Once it is DONE, `requeued`, `created` and `skipped` add up to `total`.
     *
     * Requires a secret key with the scope `webhooks.deliveries:read`.
     *
     * @return array{id: string, endpointId: string, status: 'RUNNING'|'DONE'|'CANCELLED', cancellationReason: 'requested'|'endpoint_gone'|null, from: string, to: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, onlyUndelivered: bool, dryRun: bool, total: int, requeued: int, created: int, skipped: int, sandbox: bool, createdAt: string, finishedAt: string|null}
     */
    public function getWebhookReplay(
        string $id,
        string $replayId,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/webhooks/endpoints/{id}/replays/{replayId}'];
        return $this->call($operation, ['id' => $id, 'replayId' => $replayId], [], $timeout, $maxRetries);
    }

    /**
     * Cancel a replay.
     *
     * Stops a running replay within 2 s. Attempts that it has already scheduled are still made.
     *
     * Requires a secret key with the scope `webhooks.deliveries:write`.
     *
     * @return array{id: string, endpointId: string, status: 'RUNNING'|'DONE'|'CANCELLED', cancellationReason: 'requested'|'endpoint_gone'|null, from: string, to: string, events: list<'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing'>, onlyUndelivered: bool, dryRun: bool, total: int, requeued: int, created: int, skipped: int, sandbox: bool, createdAt: string, finishedAt: string|null}
     */
    public function cancelWebhookReplay(
        string $id,
        string $replayId,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/webhooks/endpoints/{id}/replays/{replayId}/cancel'];
        return $this->call($operation, ['id' => $id, 'replayId' => $replayId], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List events.
     *
     * Returns the events of the key's environment, newest first, even if no endpoint was subscribed to them. A
     * key sees only events that it may subscribe an endpoint to.
     *
     * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
     * `webhooks.endpoints:read`.
     *
     * - `type`: Only events of this type.
     * - `referenceNumber`: Only events of the payment intent, order or webhook endpoint with this
     * `referenceNumber`.
     * - `from`: Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the
     * time is UTC.
     * - `to`: Only events that happened at or before this ISO 8601 date or date-time. A date means the end of
     * that day.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{type?: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', referenceNumber?: string, from?: string, to?: string, page?: int, limit?: int} $input
     * @return EventPage
     */
    public function listEvents(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/events'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Follow the event feed.
     *
     * Returns events in the order in which they were logged, oldest first. Send the `next` of each response as
     * `after` in the next request to get every event exactly once, even if you pause for days.
     *
     * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
     * `webhooks.endpoints:read`.
     *
     * - `after`: The `next` of the previous response. Without it, the feed begins with the oldest event.
     * `latest` means events from now on.
     * - `type`: Only events of this type.
     * - `limit`: The number of items per page. A number above 100 means 100.
     * - `wait`: How many seconds to wait for an event. The response is sent as soon as there is one.
     *
     * @param array{after?: string, type?: 'payment.created'|'payment.confirmed'|'payment.cancelled'|'payment.expired'|'payment.refunded'|'payment.failed'|'order.new'|'endpoint.failing', limit?: int, wait?: int} $input
     * @return EventFeed
     */
    public function readEventFeed(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/events/feed'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve an event.
     *
     * Returns one event with the body of its webhooks, or SCOPE_REQUIRED if the key may not read its type.
     *
     * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`,
     * `webhooks.endpoints:read`.
     *
     * @return LoggedEvent
     */
    public function getEvent(
        string $id,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/events/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries);
    }

    /**
     * Import products from a CSV file.
     *
     * Creates and updates products from a file with one row per variant. If the file has a fault, nothing
     * changes, and `details.faults` lists the faults by row and column.
     *
     * Requires a secret key with the scope `store.products:write`.
     *
     * - `dryRun`: If `true`, the file is checked, but nothing changes.
     * - `csv`: The text of the CSV file.
     *
     * @param array{dryRun?: bool, csv: string} $input
     * @return ImportResult
     */
    public function importProducts(
        array $input,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/store/products/import-csv', 'query' => ['dryRun'], 'body' => []];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Export products to a CSV file.
     *
     * Returns all products, one row per variant, oldest product first. Importing the file again (up to 5000
     * rows) changes nothing.
     *
     * Requires a secret key with the scope `store.products:read`.
     *
     * - `delimiter`: The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.
     * - `bom`: Whether the file begins with a byte order mark, which Excel needs. By default, only a file with
     * semicolons does.
     *
     * @param array{delimiter?: 'comma'|'semicolon'|','|';', bom?: bool} $input
     * @return resource The file.
     */
    public function exportProducts(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ) {
        $operation = ['method' => 'GET', 'path' => '/dev/store/products/export-csv', 'isFile' => true];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Create a product.
     *
     * Send either `variants` or a `price`. Without `variants`, the product gets one variant called `Default`,
     * with the `price`, `stock` and `sku` that you send.
     *
     * Requires a secret key with the scope `store.products:write`.
     *
     * - `images`: The URLs of the images. They must be absolute https URLs.
     * - `active`: Whether the product is for sale.
     * - `price`: Centimes.
     * - `stock`: The number of units in stock.
     * - `sku`: Your own stock keeping unit. It must be unique within the shop.
     *
     * @param array{name: string, description?: string|null, images?: list<string>|null, active?: bool|null, price?: int|null, stock?: int|null, sku?: string|null, variants?: list<array{label: string, price: int, stock?: int|null, sku?: string|null}>|null} $input
     * @return Product
     */
    public function createProduct(
        array $input,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/store/products', 'body' => []];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List products.
     *
     * Returns the products of the key's environment, newest first.
     *
     * Requires a secret key with the scope `store.products:read`.
     *
     * - `active`: Only products that are, or are not, for sale.
     * - `q`: Only products whose name contains this text, ignoring case.
     * - `sku`: Only the product with this SKU.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{active?: bool, q?: string, sku?: string, page?: int, limit?: int} $input
     * @return ProductPage
     */
    public function listProducts(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/store/products'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve a product.
     *
     * Returns the product with its variants and their stock.
     *
     * Requires a secret key with the scope `store.products:read`.
     *
     * @return Product
     */
    public function getProduct(
        string $id,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/store/products/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries);
    }

    /**
     * Update a product.
     *
     * Changes the fields that you send. Identify a variant by its `_id` or `label`; a new `label` creates a
     * variant, which needs a `price`.
     *
     * Requires a secret key with the scope `store.products:write`.
     *
     * - `images`: The URLs of the images. They must be absolute https URLs.
     * - `active`: Whether the product is for sale.
     * - `price`: Centimes.
     * - `stock`: The number of units in stock.
     * - `sku`: Your own stock keeping unit. It must be unique within the shop.
     * - `removeMissingVariants`: Removes variants missing from `variants`.
     *
     * @param array{name?: string|null, description?: string|null, images?: list<string>|null, active?: bool|null, price?: int|null, stock?: int|null, sku?: string|null, variants?: list<array{_id?: string|null, label?: string|null, price?: int|null, stock?: int|null, sku?: string|null}>|null, removeMissingVariants?: bool|null} $input
     * @return Product
     */
    public function updateProduct(
        string $id,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'PUT', 'path' => '/dev/store/products/{id}', 'body' => []];
        return $this->call($operation, ['id' => $id], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Delete a product.
     *
     * Deletes the product with its variants. Orders keep their copy of what was sold.
     *
     * Requires a secret key with the scope `store.products:write`.
     *
     * @return DeletedProduct
     */
    public function deleteProduct(
        string $id,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'DELETE', 'path' => '/dev/store/products/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Change the stock of a variant.
     *
     * Send either `stock` (the new stock level) or `delta` (the number of units to add or subtract). A change
     * that would bring the stock below 0 is refused with INSUFFICIENT_STOCK.
     *
     * Requires a secret key with the scope `store.products:write`.
     *
     * - `stock`: The new stock level, in units.
     * - `delta`: The number of units to add to the stock. A negative number subtracts units.
     *
     * @param array{stock?: int, delta?: int} $input
     * @return StockedVariant
     */
    public function changeStock(
        string $id,
        string $vid,
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'PATCH', 'path' => '/dev/store/products/{id}/variants/{vid}/stock', 'body' => []];
        return $this->call($operation, ['id' => $id, 'vid' => $vid], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * Simulate an order.
     *
     * Places an order in your test shop, as a customer would, and takes its items from stock. Without `items`,
     * orders one unit of a variant in stock, and first adds a sample product to an empty shop.
     *
     * Requires a secret test key with the scope `store.orders:write`.
     *
     * @param array{items?: list<array{productId: string, variantId?: string|null, variantLabel?: string|null, quantity: int}>|null, customer?: array{name?: string|null, phone?: string|null, email?: string|null}|null} $input
     * @return Order
     */
    public function simulateOrder(
        array $input = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'POST', 'path' => '/dev/store/orders/simulate', 'body' => ['customer']];
        return $this->call($operation, [], $input, $timeout, $maxRetries, $idempotencyKey);
    }

    /**
     * List orders.
     *
     * Returns the orders of the key's environment, newest first.
     *
     * Requires a secret key with the scope `store.orders:read`.
     *
     * - `from`: Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is
     * UTC.
     * - `to`: Only items created at or before this ISO 8601 date or date-time. A date means the end of that day.
     * - `page`: The page number, from 1.
     * - `limit`: The number of items per page. A number above 100 means 100.
     *
     * @param array{from?: string, to?: string, page?: int, limit?: int} $input
     * @return OrderPage
     */
    public function listOrders(
        array $input = [],
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/store/orders'];
        return $this->call($operation, [], $input, $timeout, $maxRetries);
    }

    /**
     * Retrieve an order.
     *
     * An order keeps a copy of its products, so later changes to them do not affect it.
     *
     * Requires a secret key with the scope `store.orders:read`.
     *
     * @return Order
     */
    public function getOrder(
        string $id,
        ?float $timeout = null,
        ?int $maxRetries = null,
    ): array {
        $operation = ['method' => 'GET', 'path' => '/dev/store/orders/{id}'];
        return $this->call($operation, ['id' => $id], [], $timeout, $maxRetries);
    }

    /** Sends an operation, and repeats it after a temporary error. */
    abstract protected function call(
        array $operation,
        array $ids,
        array $input,
        ?float $timeout,
        ?int $maxRetries,
        ?string $idempotencyKey = null,
    ): mixed;
}

// End of the generated part.

/** If the service requires a longer wait, for example because of a daily quota, the error is thrown at once. */
const LONGEST_WAIT = 60;

/**
 * The error that every operation throws. Read `errorCode` in your program, because the message may change.
 *
 * The codes are the service's, plus five of the client: with CONNECTION_FAILED and TIMEOUT, no complete response
 * arrived. REDIRECTED and INVALID_RESPONSE come from something between you and the service, such as a proxy. With
 * IDEMPOTENCY_PARAMS_MISMATCH, the key was used before with another request, and nothing was done now.
 */
class PaymentsError extends \RuntimeException
{
    /**
     * @param ?int $statusCode The HTTP status. Null if there was no response.
     * @param ?string $requestId Identifies the request. Include it when you contact support.
     * @param ?string $param The first field that is not valid, such as `variants[1].price`.
     * @param mixed $details For invalid fields, a list of all of them. Otherwise the fields depend on the code.
     * @param ?int $retryAfter The seconds after which the service accepts the request again, if it said so.
     * @param mixed $response With IDEMPOTENCY_PARAMS_MISMATCH, the stored response to the other request.
     */
    public function __construct(
        public string $errorCode,
        string $message,
        public ?int $statusCode = null,
        public ?string $requestId = null,
        public ?string $param = null,
        public mixed $details = null,
        public ?int $retryAfter = null,
        public mixed $response = null,
    ) {
        parent::__construct("$errorCode: $message" . ($requestId === null ? '' : " (request $requestId)"));
    }
}

/**
 * The webhook is not genuine. Respond with 401, and do not use the body. `errorCode` is INVALID_TIMESTAMP,
 * TIMESTAMP_OUT_OF_TOLERANCE, SIGNATURE_MISMATCH or INVALID_JSON.
 */
class WebhookVerificationError extends \RuntimeException
{
    public function __construct(public string $errorCode, string $message)
    {
        parent::__construct("$errorCode: $message");
    }
}

/** The client. Every operation of the API is a method. */
final class Payments extends Operations
{
    private string $base;
    private object $handle;
    /** By handle, so that no dump of a client shows its key. */
    private static ?\WeakMap $keys = null;

    /**
     * @param string $baseUrl The address of the service.
     * @param float $timeout In seconds, for one attempt. A refund may take 20 s.
     * @param int $maxRetries How often an operation is repeated after an error that may be temporary. A write keeps
     *     its idempotency key, so the service carries it out only once.
     */
    public function __construct(
        #[\SensitiveParameter] string $key,
        string $baseUrl,
        private float $timeout = 30,
        private int $maxRetries = 4,
    ) {
        if (!preg_match('/^[\x21-\x7e]+\z/', $key)) {
            throw new \InvalidArgumentException('key must be an API key, such as sk_test_…');
        }
        if (!preg_match('~^https?://[^\s/?#@]+(/[^\s?#]*)?\z~', $baseUrl)) {
            throw new \InvalidArgumentException('baseUrl must be an absolute URL.');
        }
        if (!hasCurl() && !ini_get('allow_url_fopen')) {
            throw new \RuntimeException('Install the PHP extension curl, or set allow_url_fopen.');
        }
        self::$keys ??= new \WeakMap();
        $this->handle = new \stdClass();
        self::$keys[$this->handle] = $key;
        $this->base = preg_replace('~/api/v1\z~', '', rtrim($baseUrl, '/'));
    }

    public function __serialize(): array
    {
        throw new \LogicException('The client contains the key, so it cannot be serialized.');
    }

    /**
     * Iterates over all items of a list, newest first, and reads each page when it is needed. Skips items that moved
     * to the next page because newer items were created in between. If you change items so that they leave the list,
     * collect all of them first, because the others move to earlier pages.
     *
     * @param string $operation A method of the client that returns pages, such as `listIntents`.
     * @param array<string, mixed> $input Its input, with the ids that it takes, but without `page`.
     * @return \Generator<int, array<string, mixed>>
     */
    public function listAll(string $operation, array $input = []): \Generator
    {
        if (!isset(LISTS[$operation])) {
            throw new \InvalidArgumentException("$operation is not a list. Lists: " . implode(', ', array_keys(LISTS)));
        }
        $ids = array_map(fn ($name) => $input[$name] ?? '', LISTS[$operation]);
        $rest = array_diff_key($input, array_flip(LISTS[$operation])) + ['limit' => 100];
        $before = [];
        for ($page = 1; ; $page++) {
            $result = $this->$operation(...[...$ids, ['page' => $page] + $rest]);
            $own = array_map(fn ($item) => $item['id'] ?? $item['_id'] ?? $item['referenceNumber'], $result['items']);
            foreach ($result['items'] as $at => $item) {
                if (!in_array($own[$at], $before, true)) {
                    yield $item;
                }
            }
            if (!$result['hasMore']) {
                return;
            }
            $before = $own;
        }
    }

    /**
     * Follows the event log, so that your program misses no event, even if it was offline. The iteration ends only
     * when `$isDone` returns true, or with an error that is not temporary.
     *
     * @param ?string $after A stored `cursor`, or `latest`.
     * @param ?callable(): bool $isDone Called before each event and each request, which may wait for `$wait` seconds.
     */
    public function followEvents(
        ?string $after = null,
        ?string $type = null,
        int $wait = 25,
        int $limit = 100,
        ?callable $isDone = null,
    ): EventIterator {
        $filter = ['limit' => $limit] + ($type === null ? [] : ['type' => $type]);
        $read = fn (?string $cursor, int $seconds): array => $this->readEventFeed(
            $filter + ($cursor === null ? [] : ['after' => $cursor]) + ['wait' => $seconds],
            // Longer than the time for which the service holds the request.
            timeout: $seconds + 15,
            maxRetries: 0,
        );
        return new EventIterator($read, $after, $wait, $isDone ?? fn () => false);
    }

    protected function call(
        array $operation,
        array $ids,
        array $input,
        ?float $timeout,
        ?int $maxRetries,
        ?string $idempotencyKey = null,
    ): mixed {
        [$url, $body] = addressOf($operation, $ids, $input);
        $headers = [
            'Accept: application/json, */*;q=0.5',
            'Authorization: Bearer ' . self::$keys[$this->handle],
            'User-Agent: payment-intents-mru-php/' . VERSION . ' php/' . PHP_VERSION,
        ];
        if ($operation['method'] !== 'GET') {
            $idempotencyKey ??= bin2hex(random_bytes(16));
            if (!preg_match('/^[\x21-\x7e]+\z/', $idempotencyKey)) {
                throw new \InvalidArgumentException('idempotencyKey must consist of visible ASCII characters.');
            }
            $headers[] = "X-Idempotency-Key: $idempotencyKey";
            $headers[] = $body === null ? 'Content-Length: 0' : 'Content-Type: application/json';
        }
        $request = [
            'method' => $operation['method'],
            'url' => "$this->base/api/v1$url",
            'headers' => $headers,
            'body' => $body,
            'timeout' => $timeout ?? $this->timeout,
            'isFile' => $operation['isFile'] ?? false,
        ];
        for ($count = 0; ; $count++) {
            try {
                return dataOf($request['isFile'], ...(hasCurl() ? sendByCurl($request) : sendByStream($request)));
            } catch (PaymentsError $error) {
                $delay = delayBeforeRetry($error, $count);
                if ($count >= ($maxRetries ?? $this->maxRetries) || $delay === null) {
                    throw $error;
                }
                usleep((int) ($delay * 1e6));
            }
        }
    }
}

/**
 * The events, in the order of the log.
 *
 * @implements \IteratorAggregate<int, array<string, mixed>>
 */
final class EventIterator implements \IteratorAggregate
{
    /**
     * @param ?string $cursor Where to continue later. Store it after you have handled an event. It advances with the
     *     last event of each request, so a restart may repeat events. Use the id of each event to recognise them.
     */
    public function __construct(
        private \Closure $read,
        public ?string $cursor,
        private int $wait,
        private mixed $isDone,
    ) {
    }

    public function getIterator(): \Generator
    {
        $failures = 0;
        while (!($this->isDone)()) {
            // A retried request for the latest position would skip events, so this one does not wait.
            $isLatest = $this->cursor === 'latest';
            // If the service cannot hold the request, and so responds at once, the next one waits for a second.
            $nextAt = microtime(true) + ($isLatest ? 0 : 1);
            try {
                $page = ($this->read)($this->cursor, $isLatest ? 0 : $this->wait);
                $failures = 0;
            } catch (PaymentsError $error) {
                usleep((int) ((delayBeforeRetry($error, $failures++) ?? throw $error) * 1e6));
                continue;
            }
            $last = array_pop($page['items']);
            foreach ($page['items'] as $event) {
                if (($this->isDone)()) {
                    return;
                }
                yield $event;
            }
            if ($last !== null && ($this->isDone)()) {
                return;
            }
            $this->cursor = $page['next'];
            if ($last !== null) {
                yield $last;
            } else {
                usleep((int) (max(0, $nextAt - microtime(true)) * 1e6));
            }
        }
    }
}

/**
 * Verifies that a webhook comes from the service, and returns its event, with the `eventId` under which you store it:
 * it is the same in every attempt, in a replay and in the event log.
 *
 * @param string $body The raw body, exactly as it arrived: `file_get_contents('php://input')`.
 * @param array<string, string|string[]> $headers `getallheaders()`, `$_SERVER`, or those of a PSR-7 request.
 * @param string|string[] $secret The endpoint's secret, or several of which one must match.
 * @param ?int $now The current time in Unix seconds, for tests.
 * @return array<string, mixed>
 * @throws WebhookVerificationError if it does not come from the service.
 */
function verifyWebhook(
    string $body,
    array $headers,
    #[\SensitiveParameter] string|array $secret,
    int $toleranceSeconds = 300,
    ?int $now = null,
): array {
    $secrets = (array) $secret;
    if ($secrets === [] || in_array('', $secrets, true) || array_filter($secrets, 'is_string') !== $secrets) {
        throw new \InvalidArgumentException("secret must be the endpoint's secret, and not empty.");
    }
    $values = [];
    foreach ($headers as $name => $value) {
        $name = strtolower(strtr(preg_replace('/^HTTP_/', '', (string) $name), '_', '-'));
        $values[$name] = (isset($values[$name]) ? "$values[$name]," : '') . implode(',', (array) $value);
    }
    $error = new WebhookVerificationError('INVALID_TIMESTAMP', 'No header X-…-Timestamp has a valid time.');
    // Usually there is one pair X-…-Timestamp and X-…-Signature.
    foreach (preg_grep('/^x-.+-timestamp\z/', array_keys($values)) as $name) {
        $timestamp = $values[$name];
        if (!preg_match('/^[0-9]{1,12}\z/', $timestamp)) {
            continue;
        }
        if (abs(($now ?? time()) - (int) $timestamp) > $toleranceSeconds) {
            $message = "The webhook was signed more than $toleranceSeconds s before or after the time of this clock.";
            $error = new WebhookVerificationError('TIMESTAMP_OUT_OF_TOLERANCE', $message);
            continue;
        }
        $prefix = substr($name, 0, -strlen('timestamp'));
        $given = ($values["{$prefix}signature"] ?? '') . ',' . ($values["{$prefix}signature-previous"] ?? '');
        foreach ($secrets as $each) {
            foreach (explode(',', $given) as $one) {
                if (hash_equals(signatureOf($each, $timestamp, $body), trim($one))) {
                    return verified($body);
                }
            }
        }
        $message = 'No signature matches. Use `secret` (not `standardSecret`, whsec_…), and pass the raw body as it arrived.';
        $error = new WebhookVerificationError('SIGNATURE_MISMATCH', $message);
    }
    throw $error;
}

/**
 * Returns the headers of a genuine webhook with this body, for tests of your handler. They are named after the brand,
 * which `verifyWebhook` does not look at.
 *
 * @param ?int $timestamp In Unix seconds.
 * @return array<string, string>
 */
function signWebhook(
    string $body,
    #[\SensitiveParameter] string $secret,
    ?int $timestamp = null,
    string $brand = 'Webhook',
): array {
    $event = parse($body);
    $time = (string) ($timestamp ?? time());
    $headers = [
        'Content-Type' => 'application/json',
        "X-$brand-Timestamp" => $time,
        "X-$brand-Signature" => signatureOf($secret, $time, $body),
        "X-$brand-Event" => (string) ($event['event'] ?? ''),
        "X-$brand-Event-Id" => eventIdOf($event),
        'webhook-id' => (string) ($event['id'] ?? ''),
        'webhook-timestamp' => $time,
    ];
    // Standard Webhooks signs with the bytes of the secret. A secret of the service is in hex.
    if (preg_match('/^([0-9a-f]{2})+\z/', $secret)) {
        $signed = "{$headers['webhook-id']}.$time.$body";
        $digest = hash_hmac('sha256', $signed, hex2bin($secret), true);
        $headers['webhook-signature'] = 'v1,' . base64_encode($digest);
    }
    return $headers;
}

/**
 * Returns the id of the event, both from the body of a webhook and from the event log. A delivery's id is signed, and
 * its first half is the event's id in base64url.
 *
 * @param array<string, mixed> $event
 */
function eventIdOf(array $event): string
{
    $id = is_string($event['id'] ?? null) ? $event['id'] : '';
    return preg_match('/^[A-Za-z0-9_-]{32}\z/', $id)
        ? bin2hex(base64_decode(strtr(substr($id, 0, 16), '-_', '+/')))
        : $id;
}

/** @internal */
function signatureOf(#[\SensitiveParameter] string $secret, string $timestamp, string $body): string
{
    return 'sha256=' . hash_hmac('sha256', "$timestamp.$body", $secret);
}

/** @internal */
function parse(string $body): array
{
    $event = json_decode($body, true);
    return is_array($event) && $event !== []
        ? $event
        : throw new WebhookVerificationError('INVALID_JSON', 'The body is not an event in JSON.');
}

/** @internal */
function verified(string $body): array
{
    $event = parse($body);
    $eventId = eventIdOf($event);
    return preg_match('/^[0-9a-f]{24}\z/', $eventId)
        ? $event + ['eventId' => $eventId]
        : throw new WebhookVerificationError('INVALID_JSON', 'The `id` of the body is not one of the service.');
}

/** @internal */
function hasCurl(): bool
{
    return function_exists('curl_init');
}

/**
 * Fills in the path, and divides the input into the query and the body.
 *
 * @internal
 */
function addressOf(array $operation, array $ids, array $input): array
{
    foreach ($ids as $name => $value) {
        // Servers remove such a segment, so the request would go to another path.
        if (in_array($value, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException("$name must be an id, not \"$value\".");
        }
    }
    $filled = array_combine(array_map(fn ($name) => "{{$name}}", array_keys($ids)), array_map('rawurlencode', $ids));
    $url = strtr($operation['path'], $filled);
    $query = [];
    $names = $operation['query'] ?? [];
    foreach ($operation['method'] === 'GET' ? $input : array_intersect_key($input, array_flip($names)) as $name => $value) {
        if (!is_string($value) && !is_int($value) && !is_bool($value)) {
            throw new \InvalidArgumentException("$name must be text, an integer or a bool.");
        }
        $query[$name] = is_bool($value) ? ($value ? 'true' : 'false') : $value;
    }
    $url .= $query === [] ? '' : '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
    if (!isset($operation['body'])) {
        return [$url, null];
    }
    $fields = array_diff_key($input, $query);
    foreach ($operation['body'] as $name) {
        // An empty array would be a list in JSON.
        $fields = array_replace($fields, ($fields[$name] ?? null) === [] ? [$name => new \stdClass()] : []);
    }
    // Throws for NAN, and unless all text is UTF-8.
    return [$url, json_encode((object) plain($fields), JSON_THROW_ON_ERROR)];
}

/**
 * json_encode omits what is not public. A refund without its amount would be a full refund, so this throws.
 *
 * @internal
 */
function plain(mixed $value, int $depth = 0): mixed
{
    if ($value instanceof \JsonSerializable && $depth < 512) {
        return plain($value->jsonSerialize(), $depth + 1);
    }
    if ($value === null || is_scalar($value)) {
        return $value;
    }
    $type = get_debug_type($value);
    // After a cast, the name of a private field starts with NUL.
    if ($depth >= 512 || !in_array($type, ['array', 'stdClass']) || preg_grep('/^\0/', array_keys((array) $value))) {
        throw new \JsonException("The input has a value of the type $type, which cannot be sent as JSON.");
    }
    $fields = array_map(fn ($each) => plain($each, $depth + 1), (array) $value);
    return is_array($value) ? $fields : (object) $fields;
}

/**
 * The seconds to wait, or null if a retry would not help. A random part keeps clients from retrying together.
 *
 * @internal
 */
function delayBeforeRetry(PaymentsError $error, int $count): ?float
{
    $status = $error->statusCode ?? 0;
    $wait = $error->retryAfter ?? 0;
    $isTemporary = $status >= 500 || in_array($status, [408, 429], true)
        || in_array($error->errorCode, ['CONNECTION_FAILED', 'TIMEOUT', 'IDEMPOTENCY_REQUEST_IN_PROGRESS'], true);
    if (!$isTemporary || $wait > LONGEST_WAIT) {
        return null;
    }
    $delay = min(0.5 * 2 ** min($count, 10), 8);
    return max($delay * random_int(500, 1000) / 1000, $wait * random_int(1000, 1100) / 1000);
}

/**
 * Sends the request once. Neither this nor the other way follows redirects, so another server never gets the key.
 *
 * @internal
 * @return array{int, array<string, string>, resource} The status, the headers in lower case, and the body.
 */
function sendByCurl(#[\SensitiveParameter] array $request): array
{
    $status = 0;
    $headers = [];
    $file = fopen('php://temp', 'w+b');
    $handle = curl_init($request['url']);
    $milliseconds = (int) ($request['timeout'] * 1000);
    curl_setopt_array($handle, [
        CURLOPT_CUSTOMREQUEST => $request['method'],
        CURLOPT_HTTPHEADER => [...$request['headers'], 'Expect:'],
        CURLOPT_FOLLOWLOCATION => false,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        CURLOPT_CONNECTTIMEOUT_MS => $milliseconds,
        CURLOPT_FILE => $file,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$status, &$headers): int {
            addHeader($line, $status, $headers);
            return strlen($line);
        },
    ]);
    // A download may take longer, as long as it goes on.
    curl_setopt_array($handle, $request['isFile']
        ? [CURLOPT_LOW_SPEED_LIMIT => 1, CURLOPT_LOW_SPEED_TIME => (int) ceil($request['timeout'])]
        : [CURLOPT_TIMEOUT_MS => $milliseconds]);
    if ($request['body'] !== null) {
        curl_setopt($handle, CURLOPT_POSTFIELDS, $request['body']);
    }
    $isComplete = curl_exec($handle);
    if (curl_errno($handle) === CURLE_OPERATION_TIMEDOUT) {
        throw new PaymentsError('TIMEOUT', 'There was no complete response in time.');
    }
    if (!$isComplete) {
        $reason = curl_error($handle);
        throw new PaymentsError('CONNECTION_FAILED', "The connection to the service failed: $reason");
    }
    rewind($file);
    return [$status, $headers, $file];
}

/**
 * For a PHP without the extension curl.
 *
 * @internal
 * @return array{int, array<string, string>, resource}
 */
function sendByStream(#[\SensitiveParameter] array $request): array
{
    $context = stream_context_create(['http' => [
        'method' => $request['method'],
        'header' => [...$request['headers'], 'Connection: close'],
        'content' => $request['body'] ?? '',
        'follow_location' => 0,
        'ignore_errors' => true, // so that the body of an error can be read
        'protocol_version' => 1.1,
        'auto_decode' => false, // so that a truncated body shows
        'timeout' => $request['timeout'],
    ]]);
    $reason = '';
    set_error_handler(function (int $_, string $text) use (&$reason): bool {
        $reason = $text;
        return true;
    });
    try {
        $deadline = microtime(true) + $request['timeout'];
        $stream = fopen($request['url'], 'rb', false, $context);
        if ($stream === false) {
            throw microtime(true) >= $deadline
                ? new PaymentsError('TIMEOUT', 'There was no response in time.')
                : new PaymentsError('CONNECTION_FAILED', "The connection to the service failed: $reason");
        }
        $status = 0;
        $headers = [];
        foreach (stream_get_meta_data($stream)['wrapper_data'] as $line) {
            addHeader($line, $status, $headers);
        }
        return [$status, $headers, readAll($stream, $headers, $request['isFile'] ? INF : $deadline)];
    } finally {
        restore_error_handler();
    }
}

/**
 * Copies the body to a temporary file, and throws if it is not complete, which PHP does not notice by itself.
 *
 * @internal
 * @param resource $stream
 * @return resource
 */
function readAll($stream, array $headers, float $deadline)
{
    $file = fopen('php://temp', 'w+b');
    $end = '';
    while (!feof($stream)) {
        $part = fread($stream, 65536);
        if ($part === false || stream_get_meta_data($stream)['timed_out'] || microtime(true) > $deadline) {
            throw new PaymentsError('TIMEOUT', 'There was no complete response in time.');
        }
        fwrite($file, $part);
        $end = substr($end . $part, -5);
    }
    $isChunked = strtolower($headers['transfer-encoding'] ?? '') === 'chunked';
    $length = (int) ($headers['content-length'] ?? ftell($file));
    if ($isChunked ? $end !== "0\r\n\r\n" : ftell($file) !== $length) {
        throw new PaymentsError('CONNECTION_FAILED', 'The response is not complete.');
    }
    rewind($file);
    if (!$isChunked) {
        return $file;
    }
    stream_filter_append($file, 'dechunk', STREAM_FILTER_READ);
    $decoded = fopen('php://temp', 'w+b');
    stream_copy_to_stream($file, $decoded);
    rewind($decoded);
    return $decoded;
}

/** @internal */
function addHeader(string $line, int &$status, array &$headers): void
{
    // A response may follow an interim one, or the one of a proxy.
    if (preg_match('~^HTTP/[\d.]+ (\d{3})~', $line, $match)) {
        $status = (int) $match[1];
        $headers = [];
    } elseif (str_contains($line, ':')) {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower(trim($name))] = trim($value);
    }
}

/**
 * Reads the envelope of a response. A download returns the file.
 *
 * @internal
 * @param resource $file
 */
function dataOf(bool $isFile, int $status, array $headers, $file): mixed
{
    $succeeded = $status >= 200 && $status < 300;
    $isJson = (bool) preg_match('~^application/json\b~i', $headers['content-type'] ?? '');
    if ($isFile && $succeeded && !$isJson) {
        return $file;
    }
    $envelope = $isJson ? json_decode(stream_get_contents($file), true) : null;
    if (is_array($envelope) && ($headers['idempotent-params-mismatch'] ?? '') === 'true') {
        throw new PaymentsError(
            'IDEMPOTENCY_PARAMS_MISMATCH',
            'The idempotency key was used before with another request.',
            $status,
            $headers['x-request-id'] ?? null,
            response: $envelope,
        );
    }
    if ($succeeded && ($envelope['success'] ?? false) === true) {
        return $envelope['data'] ?? null;
    }
    if ($succeeded && $isJson && $envelope === null) {
        throw new PaymentsError('CONNECTION_FAILED', 'The response is not complete.', $status);
    }
    $wait = $headers['retry-after'] ?? '';
    $retryAfter = preg_match('/^\d{1,9}\z/', $wait) ? (int) $wait : null;
    $requestId = $headers['x-request-id'] ?? null;
    if ($status >= 300 && $status < 400) {
        $target = parse_url($headers['location'] ?? '');
        $port = isset($target['port']) ? ":$target[port]" : '';
        $origin = isset($target['host']) ? ($target['scheme'] ?? '') . "://$target[host]$port" : 'the same server';
        $message = "The response ($status) redirects to $origin. Correct baseUrl.";
        throw new PaymentsError('REDIRECTED', $message, $status, $requestId);
    }
    $error = $envelope['error'] ?? null;
    if (!is_array($error)) {
        $message = "The response has the status $status and is not JSON of the service.";
        throw new PaymentsError('INVALID_RESPONSE', $message, $status, $requestId, retryAfter: $retryAfter);
    }
    throw new PaymentsError(
        (string) ($error['code'] ?? ''),
        (string) ($error['message'] ?? ''),
        $status,
        $error['requestId'] ?? $requestId,
        $error['param'] ?? null,
        $error['details'] ?? null,
        $retryAfter,
    );
}
