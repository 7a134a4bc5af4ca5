// A client for the payment intents API. It is one file without dependencies. It runs in Node.js 18 and later, Deno,
// Bun and other runtimes with fetch and WebCrypto.
//
//   import { createPayments } from '@payment-intents-mru/client'
//   const key = process.env.KEY ?? ''
//   const baseUrl = process.env.BASE ?? ''
//   const payments = createPayments({ key, baseUrl })
//   const intent = await payments.createIntent({ amount: 50_000, label: 'Order 1042' })

/** The version of this client. */
export const version = '1.1.0'

// Generated from the OpenAPI document:

export interface components {
  schemas: {
    CreateIntentBody: {
      /** Centimes. Required for a FIXED intent. For an OPEN intent, the amount that the payment page suggests. */
      amount?: number | null
      /**
       * FIXED: you set the amount. OPEN: the customer chooses it. Defaults to FIXED.
       * @enum {string|null}
       */
      amountType?: 'FIXED' | 'OPEN' | null
      /** A text that the customer sees, such as an order number. */
      label?: string | null
      /** Your own reference, such as an order number. Only one PENDING, PAID or REFUNDED intent can have it. */
      merchantReference?: string | null
      /** Your own keys and string values, which the intent and its events contain. */
      metadata?: {
        [key: string]: string
      } | null
      /** The page to which the customer returns after paying: https with a live key. Empty means none. */
      success_url?: string | null
      /** The page to which the customer returns without paying: https with a live key. Empty means none. */
      cancel_url?: string | null
    }
    SimulatePaymentBody: {
      /** Centimes. For an OPEN intent, the amount that the customer chooses. For a FIXED intent, its own amount. */
      amount?: number
      /** The phone number of the customer. */
      payerPhone?: string | null
      /**
       * The result of the simulated payment. Defaults to success.
       * @enum {string|null}
       */
      outcome?: 'success' | 'insufficient_funds' | 'technical_error' | null
    }
    RefundBody: {
      /** Centimes. Defaults to the amount not refunded yet. */
      amount?: number
      /** Your own note about the refund. */
      reason?: string | null
      /** Centimes. If another amount can still be refunded, you get REFUND_AMOUNT_MISMATCH. */
      expectedRefundable?: number
    }
    CreatedIntent: {
      /** Identifies the intent in all other operations. */
      referenceNumber: string
      /** The last part of `payUrl`. */
      shortCode: string
      /** The payment code, with which the customer pays at a counter. */
      code: string
      /** When `code` stops working. */
      codeExpiresAt: string
      /** The page where the customer types `code`. */
      codeUrl: string
      /** The page where the customer pays. */
      payUrl: string
      /** Centimes. Null for an OPEN intent. */
      amount: number | null
      /**
       * OPEN: the customer chooses the amount.
       */
      amountType: 'FIXED' | 'OPEN'
      currency: 'MRU'
      /** The text that the customer sees. */
      label: string | null
      /** Your own reference. Null if you sent none. */
      merchantReference: string | null
      status: 'PENDING'
      /** True for test data, which moves no money. */
      sandbox: boolean
      /** The data that you sent when you created the intent. */
      metadata: {
        [key: string]: string
      }
      /** When the intent becomes CANCELLED if it is not paid. */
      expiresAt: string
      createdAt: string
    }
    Intent: {
      /** Identifies the intent in all other operations. */
      referenceNumber: string
      /** The last part of `payUrl`. */
      shortCode: string
      /** The payment code. Null once it no longer works. */
      code: string | null
      /** When `code` stops working. Null if `code` is null. */
      codeExpiresAt: string | null
      /** Where the customer types `code`, or null. */
      codeUrl: string | null
      /** The page where the customer pays. */
      payUrl: string
      /** Centimes. Null for an OPEN intent. */
      amount: number | null
      /**
       * OPEN: the customer chooses the amount.
       */
      amountType: 'FIXED' | 'OPEN'
      currency: 'MRU'
      /** The text that the customer sees. */
      label: string | null
      /** Your own reference. Null if you sent none. */
      merchantReference: string | null
      status: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'
      /** True for test data, which moves no money. */
      sandbox: boolean
      /** The data that you sent when you created the intent. */
      metadata: {
        [key: string]: string
      }
      /** When the intent becomes CANCELLED if it is not paid. */
      expiresAt: string
      createdAt: string
      /** What created the intent: API or TILL. Later versions may add values. */
      type: string
      /** Null until the intent is paid. */
      payment: null | components['schemas']['Payment']
      /** Oldest first. */
      refunds: components['schemas']['Refund'][]
      /** Centimes. The sum of the refunds that SUCCEEDED. */
      totalAmountRefunded: number
      updatedAt: string
      /**
       * Present only when CANCELLED.
       */
      cancellationReason?: 'requested_by_merchant' | 'cancelled_by_operator' | 'expired'
      failure?: components['schemas']['PaymentFailure']
    }
    RefundedIntent: {
      /** Identifies the intent in all other operations. */
      referenceNumber: string
      /** The last part of `payUrl`. */
      shortCode: string
      /** The payment code. Null once it no longer works. */
      code: string | null
      /** When `code` stops working. Null if `code` is null. */
      codeExpiresAt: string | null
      /** Where the customer types `code`, or null. */
      codeUrl: string | null
      /** The page where the customer pays. */
      payUrl: string
      /** Centimes. Null for an OPEN intent. */
      amount: number | null
      /**
       * OPEN: the customer chooses the amount.
       */
      amountType: 'FIXED' | 'OPEN'
      currency: 'MRU'
      /** The text that the customer sees. */
      label: string | null
      /** Your own reference. Null if you sent none. */
      merchantReference: string | null
      status: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'
      /** True for test data, which moves no money. */
      sandbox: boolean
      /** The data that you sent when you created the intent. */
      metadata: {
        [key: string]: string
      }
      /** When the intent becomes CANCELLED if it is not paid. */
      expiresAt: string
      createdAt: string
      /** What created the intent: API or TILL. Later versions may add values. */
      type: string
      /** Null until the intent is paid. */
      payment: null | components['schemas']['Payment']
      /** Oldest first. */
      refunds: components['schemas']['Refund'][]
      /** Centimes. The sum of the refunds that SUCCEEDED. */
      totalAmountRefunded: number
      updatedAt: string
      refund: components['schemas']['Refund']
      /**
       * Present only when CANCELLED.
       */
      cancellationReason?: 'requested_by_merchant' | 'cancelled_by_operator' | 'expired'
      failure?: components['schemas']['PaymentFailure']
    }
    IntentPage: {
      items: components['schemas']['Intent'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    Payment: {
      /** Centimes, without any fee that the customer pays. */
      amountPaid: number
      paidAt: string
      /** How the customer paid: WALLET. Later versions may add values. */
      method: string
      /** Centimes. Null for a publishable key. */
      commission: null | {
        /** Your fee. */
        providerTtc: number
        /** The customer's fee. */
        payerTtc: number
        /** The tax TOF. */
        tof: number
        /** The tax TTE. */
        tte: number
        /** The fees without the taxes. */
        totalRevenue: number
      }
    }
    PaymentFailure: {
      /**
       * Why the payment failed.
       */
      code: 'insufficient_funds' | 'limit_exceeded' | 'declined' | 'technical_error' | 'wallet_closed'
      /** Whether the customer can try again. */
      retryable: boolean
    }
    Refund: {
      id: string
      /** Centimes. */
      amount: number
      /** The fees returned with this refund, in centimes. Null for a publishable key. */
      returnedFees: null | {
        /** The part of your fee that you get back. */
        providerTtc: number
        /** Returned to the customer in addition to the amount. */
        payerTtc: number
      }
      currency: 'MRU'
      /** The note that you sent. Null for a publishable key. */
      reason: string | null
      /**
       * PENDING until the wallet confirms it.
       */
      status: 'PENDING' | 'SUCCEEDED'
      createdAt: string
      /** When it succeeded. Null while PENDING. */
      refundedAt: string | null
    }
    ListedRefund: {
      id: string
      /** The payment intent. */
      referenceNumber: string
      /** Your own reference for the payment, or null. */
      merchantReference: string | null
      /** Centimes. */
      amount: number
      currency: 'MRU'
      /** The note that you sent. */
      reason: string | null
      status: 'SUCCEEDED'
      /** Centimes. The returned fees: `providerTtc` to you, `payerTtc` to the customer. */
      returnedFees: {
        providerTtc: number
        payerTtc: number
      }
      /** When you requested the refund. */
      createdAt: string
      /** When the refund succeeded. */
      refundedAt: string
      /** When the refund was booked. `from` and `to` refer to this time. */
      bookedAt: string
    }
    RefundPage: {
      items: components['schemas']['ListedRefund'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    Balance: {
      currency: 'MRU'
      /** Centimes. Negative if you owe the service money, for example after refunds of payments that were already paid out. */
      amount: number
      /** Includes all payments and refunds recorded up to this time. */
      asOf: string
    }
    LedgerEntry: {
      id: string
      /** Counts from 1, without gaps. */
      number: number
      /**
       * A `fee` is what you pay for a payment, or the part of it that a refund returns. A `payout` is money sent to you.
       */
      type: 'payment' | 'refund' | 'fee' | 'payout'
      /** Centimes. The change in the balance: negative if it decreases. */
      amount: number
      /** Centimes. The balance after the entry. */
      balance: number
      /** Null for a payout. */
      referenceNumber: null | string
      /** Your own reference for the payment, or null. */
      merchantReference: string | null
      /** Null unless a refund caused the entry. */
      refundId: null | string
      /** The reference of a payout. Null for other entries. */
      payoutReference: string | null
      /** The UTC day of the payment, refund or payout. If that day was already closed, `bookedAt` is on a later day. */
      day: string
      /** The entry is in the statement for this UTC day. */
      bookedAt: string
    }
    LedgerEntryPage: {
      items: components['schemas']['LedgerEntry'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    Statement: {
      day: string
      /** Centimes. The balance at the start of the day. */
      opening: number
      payments: {
        count: number
        /** Centimes. Never negative. */
        amount: number
      }
      refunds: {
        count: number
        /** Centimes. Never negative. */
        amount: number
      }
      fees: {
        /** Centimes. Payment fees minus the fees returned by refunds. May be negative. */
        amount: number
      }
      payouts: {
        count: number
        /** Centimes. Never negative. */
        amount: number
      }
      /** Centimes. `opening` + payments - refunds - fees - payouts. */
      closing: number
      /** Whether the day is over. A closed statement never changes. */
      closed: boolean
    }
    StatementPage: {
      items: components['schemas']['Statement'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    CreateWebhookEndpointBody: {
      /** An https URL with a public host name. The port must be 443, or 1024 or above. */
      url: string
      /** The events that the endpoint receives. */
      events: (
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      )[]
      /** Your own headers for every webhook to this endpoint, such as a password of your gateway: in all, at most 4096 characters, with names that differ in more than case. No response contains the values. */
      headers?: {
        [key: string]: string
      } | null
    }
    UpdateWebhookEndpointBody: {
      /** An https URL with a public host name. The port must be 443, or 1024 or above. */
      url?: string | null
      /** The events that the endpoint receives. */
      events?:
        | (
            | 'payment.created'
            | 'payment.confirmed'
            | 'payment.cancelled'
            | 'payment.expired'
            | 'payment.refunded'
            | 'payment.failed'
            | 'order.new'
            | 'endpoint.failing'
          )[]
        | null
      /** Replaces all your headers. Null or `{}` removes them, and so does a URL with another host or port. */
      headers?: {
        [key: string]: string
      } | null
      /** If false, it gets no events, and deliveries that fall due become CANCELLED. */
      active?: boolean | null
    }
    TestWebhookEndpointBody: {
      /**
       * Defaults to the endpoint's first event.
       * @enum {string|null}
       */
      event?:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
        | null
    }
    WebhookEndpoint: {
      id: string
      url: string
      /** The events that the endpoint receives. */
      events: (
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      )[]
      /** If false, it gets no events, and deliveries that fall due become CANCELLED. */
      active: boolean
      /** The names of your own headers. Their values are never shown. */
      headerNames: string[]
      /** If true, the endpoint receives only test events. */
      sandbox: boolean
      createdAt: string
      health: components['schemas']['WebhookEndpointHealth']
    }
    WebhookEndpointWithSecret: {
      id: string
      url: string
      /** The events that the endpoint receives. */
      events: (
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      )[]
      /** If false, it gets no events, and deliveries that fall due become CANCELLED. */
      active: boolean
      /** The names of your own headers. Their values are never shown. */
      headerNames: string[]
      /** If true, the endpoint receives only test events. */
      sandbox: boolean
      createdAt: string
      health: components['schemas']['WebhookEndpointHealth']
      /** Signs the deliveries to this endpoint. Store it: no later response contains it. */
      secret: string
      /** The same secret for libraries that support Standard Webhooks. */
      standardSecret: string
    }
    WebhookEndpointHealth: {
      lastSuccessAt: string | null
      lastFailureAt: string | null
      /** The number of failed attempts since the last success. */
      failuresInRow: number
      /**
       * The stage of the last failure. Null if there was none.
       * @enum {string|null}
       */
      lastError:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
    }
    ListedWebhookEndpoint: {
      id: string
      url: string
      /** The events that the endpoint receives. */
      events: (
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      )[]
      /** If false, it gets no events, and deliveries that fall due become CANCELLED. */
      active: boolean
      /** The names of your own headers. Their values are never shown. */
      headerNames: string[]
      /** If true, the endpoint receives only test events. */
      sandbox: boolean
      createdAt: string
      health: components['schemas']['WebhookEndpointHealth']
      last24Hours: components['schemas']['WebhookEndpointLastDay']
    }
    WebhookEndpointLastDay: {
      /** The number of attempts that ended in this hour and the 23 hours before it, excluding tests. It may lag by a few seconds. */
      attempts: number
      /** How many of these attempts succeeded. */
      succeeded: number
      /** `succeeded` divided by `attempts`. Null if there were no attempts. */
      successRate: number | null
      /** The last failed attempt. Null if none failed. */
      lastError: null | {
        /** When the attempt ended. */
        at: string
        /**
         * The stage at which the attempt failed.
         * @enum {string|null}
         */
        error:
          | 'status'
          | 'dns'
          | 'address'
          | 'connect'
          | 'refused'
          | 'tls'
          | 'timeout'
          | 'closed'
          | 'protocol'
          | 'too_large'
          | 'proxy'
          | null
        /** The HTTP status of your endpoint's response. Null if there was no response. */
        responseStatus: number | null
      }
    }
    WebhookEndpointPage: {
      items: components['schemas']['ListedWebhookEndpoint'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    DeletedWebhookEndpoint: {
      id: string
      deleted: true
    }
    WebhookTestResult: {
      deliveryId: string
      event:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      /** Whether the endpoint responded with 2xx. */
      delivered: boolean
      /** The HTTP status of your endpoint's response. Null if there was no response. */
      responseStatus: number | null
      /** Milliseconds. */
      durationMs: number
      /**
       * The stage at which the attempt failed. Null if it succeeded.
       * @enum {string|null}
       */
      error:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
    }
    WebhookDelivery: {
      /** Also the `id` in the body of every attempt. */
      id: string
      endpointId: string
      /** The URL of the last attempt. Before the first one, the URL of the endpoint. */
      url: string | null
      event:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      /** The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint. */
      referenceNumber: string
      status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
      /** The number of finished attempts. */
      attempts: number | null
      /** 8, plus one for each requested retry. */
      maxAttempts: number | null
      /** When the next attempt is due: in the past during an attempt, or null if none follows. */
      nextAttemptAt: string | null
      lastAttemptAt: string | null
      /** The HTTP status of your endpoint's response. Null if there was no response. */
      lastResponseStatus: number | null
      /**
       * The stage at which the last attempt failed. Null if it succeeded.
       * @enum {string|null}
       */
      lastError:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
      /** Milliseconds. */
      lastDurationMs: number | null
      /** True for test data, which moves no money. */
      sandbox: boolean
      createdAt: string
      deliveredAt: string | null
    }
    WebhookDeliveryWithAttempts: {
      /** Also the `id` in the body of every attempt. */
      id: string
      endpointId: string
      /** The URL of the last attempt. Before the first one, the URL of the endpoint. */
      url: string | null
      event:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      /** The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint. */
      referenceNumber: string
      status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
      /** The number of finished attempts. */
      attempts: number | null
      /** 8, plus one for each requested retry. */
      maxAttempts: number | null
      /** When the next attempt is due: in the past during an attempt, or null if none follows. */
      nextAttemptAt: string | null
      lastAttemptAt: string | null
      /** The HTTP status of your endpoint's response. Null if there was no response. */
      lastResponseStatus: number | null
      /**
       * The stage at which the last attempt failed. Null if it succeeded.
       * @enum {string|null}
       */
      lastError:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
      /** Milliseconds. */
      lastDurationMs: number | null
      /** True for test data, which moves no money. */
      sandbox: boolean
      createdAt: string
      deliveredAt: string | null
      /** The headers of the last attempt, without signatures or connection headers such as `Host`. Null before the first attempt. */
      lastAttemptHeaders: {
        [key: string]: string
      } | null
      /** The body of every attempt, parsed. Null if the key may not subscribe to the event. */
      payload: Record<string, never> | null
      /** The latest 50 attempts, oldest first. */
      attemptLog: components['schemas']['WebhookDeliveryAttempt'][]
    }
    WebhookDeliveryAttempt: {
      /** When the attempt began. */
      at: string
      url: string
      /** Milliseconds. */
      durationMs: number
      /** The HTTP status of your endpoint's response. Null if there was no response. */
      responseStatus: number | null
      /**
       * The stage at which the attempt failed. Null if it succeeded.
       * @enum {string|null}
       */
      error:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
      /** A description of the error. */
      message: string | null
      /** The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event. */
      responseBody: string | null
    }
    WebhookDeliveryPage: {
      items: components['schemas']['WebhookDelivery'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    RetriedWebhookDelivery: {
      /** Also the `id` in the body of every attempt. */
      id: string
      endpointId: string
      /** The URL of the last attempt. Before the first one, the URL of the endpoint. */
      url: string | null
      event:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      /** The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint. */
      referenceNumber: string
      status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
      /** The number of finished attempts. */
      attempts: number | null
      /** 8, plus one for each requested retry. */
      maxAttempts: number | null
      /** When the next attempt is due: in the past during an attempt, or null if none follows. */
      nextAttemptAt: string | null
      lastAttemptAt: string | null
      /** The HTTP status of your endpoint's response. Null if there was no response. */
      lastResponseStatus: number | null
      /**
       * The stage at which the last attempt failed. Null if it succeeded.
       * @enum {string|null}
       */
      lastError:
        | 'status'
        | 'dns'
        | 'address'
        | 'connect'
        | 'refused'
        | 'tls'
        | 'timeout'
        | 'closed'
        | 'protocol'
        | 'too_large'
        | 'proxy'
        | null
      /** Milliseconds. */
      lastDurationMs: number | null
      /** True for test data, which moves no money. */
      sandbox: boolean
      createdAt: string
      deliveredAt: string | null
      /** Whether the service will make one more attempt now. */
      retried: boolean
      /**
       * Why there will be no attempt: `delivered`, `under_way` (due or in progress) or `endpoint_gone` (deleted or not active). Null if there will be one.
       * @enum {string|null}
       */
      reason: 'delivered' | 'under_way' | 'endpoint_gone' | null
    }
    LoggedEvent: {
      /** The id of the event, as in the header whose name ends in `-Event-Id`. */
      id: string
      type:
        | 'payment.created'
        | 'payment.confirmed'
        | 'payment.cancelled'
        | 'payment.expired'
        | 'payment.refunded'
        | 'payment.failed'
        | 'order.new'
        | 'endpoint.failing'
      /** When the event happened. */
      createdAt: string
      /** The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint. */
      referenceNumber: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      /** The body of the webhook, except that its `id` is the `id` of the event. */
      body:
        | components['schemas']['PaymentCreatedEvent']
        | components['schemas']['PaymentConfirmedEvent']
        | components['schemas']['PaymentCancelledEvent']
        | components['schemas']['PaymentExpiredEvent']
        | components['schemas']['PaymentRefundedEvent']
        | components['schemas']['PaymentFailedEvent']
        | components['schemas']['OrderNewEvent']
        | components['schemas']['EndpointFailingEvent']
    }
    EventPage: {
      items: components['schemas']['LoggedEvent'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    EventFeed: {
      items: components['schemas']['LoggedEvent'][]
      /** Send this as `after` to get the events that follow. */
      next: string
      /** Whether more events are available now. */
      hasMore: boolean
    }
    CreateProductBody: {
      name: string
      description?: string | null
      /** The URLs of the images. They must be absolute https URLs. */
      images?: string[] | null
      /** Whether the product is for sale. */
      active?: boolean | null
      /** Centimes. */
      price?: number | null
      /** The number of units in stock. */
      stock?: number | null
      /** Your own stock keeping unit. It must be unique within the shop. */
      sku?: string | null
      variants?:
        | {
            /** For example, a size. */
            label: string
            /** Centimes. */
            price: number
            /** The number of units in stock. */
            stock?: number | null
            /** Your own stock keeping unit. It must be unique within the shop. */
            sku?: string | null
          }[]
        | null
    }
    UpdateProductBody: {
      name?: string | null
      description?: string | null
      /** The URLs of the images. They must be absolute https URLs. */
      images?: string[] | null
      /** Whether the product is for sale. */
      active?: boolean | null
      /** Centimes. */
      price?: number | null
      /** The number of units in stock. */
      stock?: number | null
      /** Your own stock keeping unit. It must be unique within the shop. */
      sku?: string | null
      variants?:
        | {
            _id?: string | null
            /** For example, a size. */
            label?: string | null
            /** Centimes. */
            price?: number | null
            /** The number of units in stock. */
            stock?: number | null
            /** Your own stock keeping unit. It must be unique within the shop. */
            sku?: string | null
          }[]
        | null
      /** Removes variants missing from `variants`. */
      removeMissingVariants?: boolean | null
    }
    ChangeStockBody: {
      /** The new stock level, in units. */
      stock?: number
      /** The number of units to add to the stock. A negative number subtracts units. */
      delta?: number
    }
    Product: {
      _id: string
      /** Identifies the product in CSV files. */
      handle: string
      name: string
      description: string
      images: string[]
      /** Whether the product is for sale. */
      active: boolean
      /** True for test data, which moves no money. */
      sandbox: boolean
      variants: components['schemas']['Variant'][]
      createdAt: string
      updatedAt: string
    }
    ProductPage: {
      items: components['schemas']['Product'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    Variant: {
      _id: string
      label: string
      sku: string | null
      /** Centimes. */
      price: number
      /** The number of units in stock. */
      stock: number
    }
    StockedVariant: {
      productId: string
      _id: string | null
      label: string | null
      sku: string | null
      /** Centimes. */
      price: number | null
      /** The number of units in stock after the change. */
      stock: number | null
    }
    DeletedProduct: {
      _id: string
      deleted: true
    }
    ImportProductsBody: {
      /** The text of the CSV file. */
      csv: string
    }
    ImportResult: {
      /** The number of products created. */
      created: number
      /** The number of products changed. */
      updated: number
      /** The number of products that already matched the file. */
      unchanged: number
      /** The number of variants created or changed. */
      variants: number
      /** The number of rows in the file, without the header and blank rows. */
      rows: number
      /**
       * Present only in a dry run.
       */
      dryRun?: true
      /** In a dry run, the handles of the first 100 products of each kind. */
      handles?: {
        created: string[]
        updated: string[]
        unchanged: string[]
      }
    }
    SimulateOrderBody: {
      items?:
        | {
            productId: string
            /** Send either this or `variantLabel`. Omit both if the product has only one variant. */
            variantId?: string | null
            variantLabel?: string | null
            quantity: number
          }[]
        | null
      customer?: {
        name?: string | null
        phone?: string | null
        email?: string | null
      } | null
    }
    Order: {
      _id: string
      number: string
      status: 'PLACED'
      items: components['schemas']['OrderItem'][]
      /** Centimes. The sum of all items. */
      total: number
      currency: 'MRU'
      customer: null | components['schemas']['Customer']
      /** True for test data, which moves no money. */
      sandbox: boolean
      createdAt: string
    }
    OrderItem: {
      productId: string
      variantId: string
      name: string
      variantLabel: string
      sku: string | null
      /** Centimes per unit. */
      unitPrice: number
      quantity: number
      /** Centimes: `unitPrice` times `quantity`. */
      total: number
    }
    OrderPage: {
      items: components['schemas']['Order'][]
      page: number
      /** The number of items per page. */
      limit: number
      /** The number of items on all pages. */
      total: number
      /** Whether there is another page. */
      hasMore: boolean
    }
    Customer: {
      name: string | null
      phone: string | null
      email: string | null
    }
    Failure: {
      success: false
      error: {
        /** The error code for your program to read. It never changes. */
        code: string
        /** A human-readable explanation. The wording may change. */
        message: string
        statusCode: number
        /** Also in the header X-Request-Id. Include it when you contact support. */
        requestId: string
        /** The first invalid field, such as `variants[1].price`. */
        param?: string
        /** A list of all invalid fields, or an object whose fields depend on the code. */
        details?:
          | components['schemas']['FieldFault'][]
          | components['schemas']['RateLimitDetails']
          | {
              [key: string]: unknown
            }
      }
    }
    FieldFault: {
      /** The name of the field. */
      param: string
      /** The error code of this fault. */
      code: string
      /** What is wrong with the field. The wording may change. */
      message: string
    }
    RateLimitDetails: {
      /**
       * The limit that was exceeded. `key`: requests with this key; `address`: requests from this IP address with a publishable key or without a valid key; `bodies`: bytes of request bodies over 16 KiB that the business is sending; `responses`: bytes of responses over 16 KiB that the business has not read yet; `lists`: the business's running lists and exports; `tests`: the business's running endpoint tests; `replays`: running replays of the webhook endpoint, or replays that the business started today; `polls`: the business's waiting requests for the event feed; `codes`: the business's payment codes that are in use; `audit`: today's changes, retries and replays with the business's live keys, or with its test keys; `sandbox`: intents, orders and products created today with the business's test keys; `storage`: bytes or documents stored today with the business's live keys, or with its test keys.
       */
      scope:
        | 'key'
        | 'address'
        | 'bodies'
        | 'responses'
        | 'lists'
        | 'tests'
        | 'replays'
        | 'polls'
        | 'codes'
        | 'audit'
        | 'sandbox'
        | 'storage'
      /** The highest number or size that the limit allows. */
      limit?: number
      /** The window in seconds, if there is one. */
      windowSeconds?: number
    } & {
      [key: string]: unknown
    }
    PaymentCreatedEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.created'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        /** The `referenceNumber` of the payment intent. */
        reference_number: string
        /** The last part of `payUrl`. */
        short_code: string
        /** Your own reference. Null if you sent none. */
        merchant_reference: string | null
        currency: 'MRU'
        /** The data that you sent when you created the intent. */
        metadata: {
          [key: string]: string
        }
        status: 'PENDING'
        /** Centimes. Null for an OPEN intent. */
        amount: number | null
        paid_at: null
        payer_phone: null
        commission: {
          provider_ttc: number
          payer_ttc: number
          tof: number
          tte: number
          total_revenue: number
        }
      }
    }
    PaymentConfirmedEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.confirmed'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        /** The `referenceNumber` of the payment intent. */
        reference_number: string
        /** The last part of `payUrl`. */
        short_code: string
        /** Your own reference. Null if you sent none. */
        merchant_reference: string | null
        currency: 'MRU'
        /** The data that you sent when you created the intent. */
        metadata: {
          [key: string]: string
        }
        status: 'PAID'
        /** Centimes. The amount that the customer paid, without fees. */
        amount: number
        paid_at: string
        /** The customer's phone number, masked as `22 ** ** 45`. */
        payer_phone: string
        commission: {
          provider_ttc: number
          payer_ttc: number
          tof: number
          tte: number
          total_revenue: number
        }
      }
    }
    PaymentCancelledEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.cancelled'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        /** The `referenceNumber` of the payment intent. */
        reference_number: string
        /** The last part of `payUrl`. */
        short_code: string
        /** Your own reference. Null if you sent none. */
        merchant_reference: string | null
        currency: 'MRU'
        /** The data that you sent when you created the intent. */
        metadata: {
          [key: string]: string
        }
        status: 'CANCELLED'
        /** Centimes. Null for an OPEN intent. */
        amount: number | null
        paid_at: null
        payer_phone: null
        commission: {
          provider_ttc: number
          payer_ttc: number
          tof: number
          tte: number
          total_revenue: number
        }
      }
    }
    PaymentExpiredEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.expired'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        /** The `referenceNumber` of the payment intent. */
        reference_number: string
        /** The last part of `payUrl`. */
        short_code: string
        /** Your own reference. Null if you sent none. */
        merchant_reference: string | null
        currency: 'MRU'
        /** The data that you sent when you created the intent. */
        metadata: {
          [key: string]: string
        }
        status: 'CANCELLED'
        /** Centimes. Null for an OPEN intent. */
        amount: number | null
        paid_at: null
        payer_phone: null
        commission: {
          provider_ttc: number
          payer_ttc: number
          tof: number
          tte: number
          total_revenue: number
        }
      }
    }
    PaymentRefundedEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.refunded'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        /** The `referenceNumber` of the payment intent. */
        reference_number: string
        /** The last part of `payUrl`. */
        short_code: string
        /** Your own reference. Null if you sent none. */
        merchant_reference: string | null
        currency: 'MRU'
        /** The data that you sent when you created the intent. */
        metadata: {
          [key: string]: string
        }
        status: 'REFUNDED'
        /** Centimes. The amount that the customer paid, without fees. */
        amount: number
        paid_at: string
        /** The customer's phone number, masked as `22 ** ** 45`. */
        payer_phone: string
        commission: {
          provider_ttc: number
          payer_ttc: number
          tof: number
          tte: number
          total_revenue: number
        }
        refund: {
          id: string
          amount: number
          /** The fees returned to you and to the customer with this refund, in centimes. */
          returned_fees: {
            provider_ttc: number
            payer_ttc: number
          }
          reason: string | null
        }
      }
    }
    PaymentFailedEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'payment.failed'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data:
        | {
            /** The `referenceNumber` of the payment intent. */
            reference_number: string
            /** The last part of `payUrl`. */
            short_code: string
            /** Your own reference. Null if you sent none. */
            merchant_reference: string | null
            currency: 'MRU'
            /** The data that you sent when you created the intent. */
            metadata: {
              [key: string]: string
            }
            status: 'PENDING'
            /** Centimes. Null for an OPEN intent. */
            amount: number | null
            paid_at: null
            payer_phone: null
            commission: {
              provider_ttc: number
              payer_ttc: number
              tof: number
              tte: number
              total_revenue: number
            }
            failure: {
              code: 'insufficient_funds' | 'limit_exceeded' | 'declined'
              retryable: true
            }
          }
        | {
            /** The `referenceNumber` of the payment intent. */
            reference_number: string
            /** The last part of `payUrl`. */
            short_code: string
            /** Your own reference. Null if you sent none. */
            merchant_reference: string | null
            currency: 'MRU'
            /** The data that you sent when you created the intent. */
            metadata: {
              [key: string]: string
            }
            status: 'FAILED'
            /** Centimes. Null for an OPEN intent. */
            amount: number | null
            paid_at: null
            payer_phone: null
            commission: {
              provider_ttc: number
              payer_ttc: number
              tof: number
              tte: number
              total_revenue: number
            }
            failure: {
              code: 'technical_error' | 'wallet_closed'
              retryable: false
            }
          }
    }
    OrderNewEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'order.new'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data: {
        _id: string
        reference_number: string
        number: string
        status: 'PLACED'
        items: {
          product_id: string
          variant_id: string
          name: string
          variant_label: string
          sku: string | null
          unit_price: number
          quantity: number
          total: number
        }[]
        total: number
        currency: 'MRU'
        customer: null | {
          name: string | null
          phone: string | null
          email: string | null
        }
        created_at: string
      }
    }
    EndpointFailingEvent: {
      /** The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event. */
      id: string
      event: 'endpoint.failing'
      /** When the event happened. */
      created_at: string
      /** True for test data, which moves no money. */
      sandbox: boolean
      data:
        | {
            /** The endpoint that the event is about. */
            endpoint_id: string
            /** The same id as `endpoint_id`. */
            reference_number: string
            /** The shortened URL, with a fingerprint. Your list of endpoints contains the full URL. */
            url: string
            status: 'FAILING'
            /** When the first failed attempt ended. */
            failing_since: string
            recovered_at: null
            /**
             * The stage of the last failure.
             */
            last_error:
              | 'status'
              | 'dns'
              | 'address'
              | 'connect'
              | 'refused'
              | 'tls'
              | 'timeout'
              | 'closed'
              | 'protocol'
              | 'too_large'
              | 'proxy'
            /** The HTTP status of your endpoint's response. Null if there was no response. */
            last_response_status: number | null
          }
        | {
            /** The endpoint that the event is about. */
            endpoint_id: string
            /** The same id as `endpoint_id`. */
            reference_number: string
            /** The shortened URL, with a fingerprint. Your list of endpoints contains the full URL. */
            url: string
            status: 'RECOVERED'
            /** When the first failed attempt ended. */
            failing_since: string
            /** When an attempt succeeded again. */
            recovered_at: string
            /**
             * The stage of the last failure.
             */
            last_error:
              | 'status'
              | 'dns'
              | 'address'
              | 'connect'
              | 'refused'
              | 'tls'
              | 'timeout'
              | 'closed'
              | 'protocol'
              | 'too_large'
              | 'proxy'
            /** The HTTP status of your endpoint's response. Null if there was no response. */
            last_response_status: number | null
          }
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type CreateIntentBody = components['schemas']['CreateIntentBody']
export type SimulatePaymentBody = components['schemas']['SimulatePaymentBody']
export type RefundBody = components['schemas']['RefundBody']
export type CreatedIntent = components['schemas']['CreatedIntent']
export type Intent = components['schemas']['Intent']
export type RefundedIntent = components['schemas']['RefundedIntent']
export type IntentPage = components['schemas']['IntentPage']
export type Payment = components['schemas']['Payment']
export type PaymentFailure = components['schemas']['PaymentFailure']
export type Refund = components['schemas']['Refund']
export type ListedRefund = components['schemas']['ListedRefund']
export type RefundPage = components['schemas']['RefundPage']
export type Balance = components['schemas']['Balance']
export type LedgerEntry = components['schemas']['LedgerEntry']
export type LedgerEntryPage = components['schemas']['LedgerEntryPage']
export type Statement = components['schemas']['Statement']
export type StatementPage = components['schemas']['StatementPage']
export type CreateWebhookEndpointBody = components['schemas']['CreateWebhookEndpointBody']
export type UpdateWebhookEndpointBody = components['schemas']['UpdateWebhookEndpointBody']
export type TestWebhookEndpointBody = components['schemas']['TestWebhookEndpointBody']
export type WebhookEndpoint = components['schemas']['WebhookEndpoint']
export type WebhookEndpointWithSecret = components['schemas']['WebhookEndpointWithSecret']
export type WebhookEndpointHealth = components['schemas']['WebhookEndpointHealth']
export type ListedWebhookEndpoint = components['schemas']['ListedWebhookEndpoint']
export type WebhookEndpointLastDay = components['schemas']['WebhookEndpointLastDay']
export type WebhookEndpointPage = components['schemas']['WebhookEndpointPage']
export type DeletedWebhookEndpoint = components['schemas']['DeletedWebhookEndpoint']
export type WebhookTestResult = components['schemas']['WebhookTestResult']
export type WebhookDelivery = components['schemas']['WebhookDelivery']
export type WebhookDeliveryWithAttempts = components['schemas']['WebhookDeliveryWithAttempts']
export type WebhookDeliveryAttempt = components['schemas']['WebhookDeliveryAttempt']
export type WebhookDeliveryPage = components['schemas']['WebhookDeliveryPage']
export type RetriedWebhookDelivery = components['schemas']['RetriedWebhookDelivery']
export type LoggedEvent = components['schemas']['LoggedEvent']
export type EventPage = components['schemas']['EventPage']
export type EventFeed = components['schemas']['EventFeed']
export type CreateProductBody = components['schemas']['CreateProductBody']
export type UpdateProductBody = components['schemas']['UpdateProductBody']
export type ChangeStockBody = components['schemas']['ChangeStockBody']
export type Product = components['schemas']['Product']
export type ProductPage = components['schemas']['ProductPage']
export type Variant = components['schemas']['Variant']
export type StockedVariant = components['schemas']['StockedVariant']
export type DeletedProduct = components['schemas']['DeletedProduct']
export type ImportProductsBody = components['schemas']['ImportProductsBody']
export type ImportResult = components['schemas']['ImportResult']
export type SimulateOrderBody = components['schemas']['SimulateOrderBody']
export type Order = components['schemas']['Order']
export type OrderItem = components['schemas']['OrderItem']
export type OrderPage = components['schemas']['OrderPage']
export type Customer = components['schemas']['Customer']
export type Failure = components['schemas']['Failure']
export type FieldFault = components['schemas']['FieldFault']
export type RateLimitDetails = components['schemas']['RateLimitDetails']
export type PaymentCreatedEvent = components['schemas']['PaymentCreatedEvent']
export type PaymentConfirmedEvent = components['schemas']['PaymentConfirmedEvent']
export type PaymentCancelledEvent = components['schemas']['PaymentCancelledEvent']
export type PaymentExpiredEvent = components['schemas']['PaymentExpiredEvent']
export type PaymentRefundedEvent = components['schemas']['PaymentRefundedEvent']
export type PaymentFailedEvent = components['schemas']['PaymentFailedEvent']
export type OrderNewEvent = components['schemas']['OrderNewEvent']
export type EndpointFailingEvent = components['schemas']['EndpointFailingEvent']
export interface operations {
  listIntents: {
    parameters: {
      query?: {
        /** Only intents in this status. */
        status?: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'
        /** Only intents with this merchantReference. */
        merchantReference?: string
        /** Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only items created at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** Only intents paid at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        paidFrom?: string
        /** Only intents paid at or before this ISO 8601 date or date-time. A date means the end of that day. */
        paidTo?: string
        /** Only intents with a refund that SUCCEEDED at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        refundedFrom?: string
        /** Only intents with a refund that SUCCEEDED at or before this ISO 8601 date or date-time. A date means the end of that day. One refund must match both. */
        refundedTo?: string
        /** Only intents whose paid amount, or `amount` while unpaid, is at least this many centimes. */
        minAmount?: number
        /** Only intents of at most this many centimes. */
        maxAmount?: number
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['IntentPage']
          }
        }
      }
    }
  }
  createIntent: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateIntentBody']
      }
    }
    responses: {
      /** Success. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['CreatedIntent']
          }
        }
      }
    }
  }
  getIntent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `referenceNumber` of the payment intent. */
        referenceNumber: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Intent']
          }
        }
      }
    }
  }
  cancelIntent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `referenceNumber` of the payment intent. */
        referenceNumber: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Intent']
          }
        }
      }
    }
  }
  simulatePayment: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `referenceNumber` of the payment intent. */
        referenceNumber: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['SimulatePaymentBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Intent']
          }
        }
      }
    }
  }
  refundIntent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `referenceNumber` of the payment intent. */
        referenceNumber: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['RefundBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['RefundedIntent']
          }
        }
      }
    }
  }
  getBalance: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Balance']
          }
        }
      }
    }
  }
  listBalanceEntries: {
    parameters: {
      query?: {
        /** Only entries of this type. */
        type?: 'payment' | 'refund' | 'fee' | 'payout'
        /** Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only items booked at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['LedgerEntryPage']
          }
        }
      }
    }
  }
  listRefunds: {
    parameters: {
      query?: {
        /** Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only items booked at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['RefundPage']
          }
        }
      }
    }
  }
  listStatements: {
    parameters: {
      query?: {
        /** The month, such as `2026-11`. By default, the current month in UTC. */
        month?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. The `Accept` header selects JSON or CSV. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['StatementPage']
          }
        }
      }
    }
  }
  getStatement: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** A day from 2000-01-01 to today, such as `2026-11-01`. */
        day: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. The `Accept` header selects JSON or CSV. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Statement']
          }
        }
      }
    }
  }
  exportPayments: {
    parameters: {
      query?: {
        /** Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day. Defaults to now. */
        to?: string
        /** `jsonl` means one JSON object per line. Defaults to `csv`. */
        format?: 'csv' | 'jsonl'
        /** The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon. With a semicolon, decimals use a comma. Only for `csv`. */
        delimiter?: 'comma' | 'semicolon' | ',' | ';'
        /** Whether the file begins with a byte order mark, which Excel needs. By default, only a file with semicolons does. Only for `csv`. */
        bom?: 'true' | 'false'
        /** The language of the column names and entry types of a CSV file. Defaults to English. */
        language?: 'en' | 'fr' | 'ar'
        /** Resumes a download after the line with this `number`, without the column names. */
        after?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The file. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
          'application/x-ndjson': string
        }
      }
    }
  }
  exportRefunds: {
    parameters: {
      query?: {
        /** Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day. Defaults to now. */
        to?: string
        /** `jsonl` means one JSON object per line. Defaults to `csv`. */
        format?: 'csv' | 'jsonl'
        /** The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon. With a semicolon, decimals use a comma. Only for `csv`. */
        delimiter?: 'comma' | 'semicolon' | ',' | ';'
        /** Whether the file begins with a byte order mark, which Excel needs. By default, only a file with semicolons does. Only for `csv`. */
        bom?: 'true' | 'false'
        /** The language of the column names and entry types of a CSV file. Defaults to English. */
        language?: 'en' | 'fr' | 'ar'
        /** Resumes a download after the line with this `number`, without the column names. */
        after?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The file. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
          'application/x-ndjson': string
        }
      }
    }
  }
  exportLedgerEntries: {
    parameters: {
      query?: {
        /** Only lines booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only lines booked at or before this ISO 8601 date or date-time. A date means the end of that day. Defaults to now. */
        to?: string
        /** `jsonl` means one JSON object per line. Defaults to `csv`. */
        format?: 'csv' | 'jsonl'
        /** The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon. With a semicolon, decimals use a comma. Only for `csv`. */
        delimiter?: 'comma' | 'semicolon' | ',' | ';'
        /** Whether the file begins with a byte order mark, which Excel needs. By default, only a file with semicolons does. Only for `csv`. */
        bom?: 'true' | 'false'
        /** The language of the column names and entry types of a CSV file. Defaults to English. */
        language?: 'en' | 'fr' | 'ar'
        /** Resumes a download after the line with this `number`, without the column names. */
        after?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The file. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
          'application/x-ndjson': string
        }
      }
    }
  }
  createWebhookEndpoint: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWebhookEndpointBody']
      }
    }
    responses: {
      /** Success. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookEndpointWithSecret']
          }
        }
      }
    }
  }
  getWebhookEndpoint: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['ListedWebhookEndpoint']
          }
        }
      }
    }
  }
  updateWebhookEndpoint: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['UpdateWebhookEndpointBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookEndpoint']
          }
        }
      }
    }
  }
  deleteWebhookEndpoint: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['DeletedWebhookEndpoint']
          }
        }
      }
    }
  }
  testWebhookEndpoint: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['TestWebhookEndpointBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookTestResult']
          }
        }
      }
    }
  }
  rotateWebhookSecret: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookEndpointWithSecret']
          }
        }
      }
    }
  }
  listWebhookEndpoints: {
    parameters: {
      query?: {
        /** Defaults to the key's environment. Only a live key can choose. */
        sandbox?: 'true' | 'false'
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookEndpointPage']
          }
        }
      }
    }
  }
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** Only deliveries in one of these statuses, separated by commas: PENDING, RETRYING, DELIVERED, DEAD, CANCELLED. */
        status?: string
        /** Only deliveries of this event. */
        event?:
          | 'payment.created'
          | 'payment.confirmed'
          | 'payment.cancelled'
          | 'payment.expired'
          | 'payment.refunded'
          | 'payment.failed'
          | 'order.new'
          | 'endpoint.failing'
        /** Only deliveries to this endpoint, which may be deleted. */
        endpointId?: string
        /** Only deliveries about this payment intent or order. */
        referenceNumber?: string
        /** Only deliveries whose last attempt got this HTTP status (`300` to `599`) or class (such as `5xx`). */
        responseStatus?: string
        /** Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only items created at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookDeliveryPage']
          }
        }
      }
    }
  }
  getWebhookDelivery: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the delivery. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['WebhookDeliveryWithAttempts']
          }
        }
      }
    }
  }
  retryWebhookDeliveries: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          /** Only deliveries in one of these statuses. Defaults to `["DEAD"]`. */
          status?: ('DEAD' | 'RETRYING' | 'CANCELLED')[]
          /**
           * Only deliveries of this event.
           */
          event?:
            | 'payment.created'
            | 'payment.confirmed'
            | 'payment.cancelled'
            | 'payment.expired'
            | 'payment.refunded'
            | 'payment.failed'
            | 'order.new'
            | 'endpoint.failing'
          /** Only deliveries to this endpoint, which may be deleted. */
          endpointId?: string
          /** Only deliveries about this payment intent or order. */
          referenceNumber?: string
          /** Only deliveries whose last attempt got this HTTP status (`300` to `599`) or class (such as `5xx`). */
          responseStatus?: string
          /** Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
          from?: string
          /** Only items created at or before this ISO 8601 date or date-time. A date means the end of that day. */
          to?: string
          /** The `next` of the previous response. */
          after?: string | null
        }
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              /** The number of deliveries that get one more attempt now. */
              requeued: number
              /** The number of matching deliveries that get no attempt, by reason. */
              skipped: {
                delivered: number
                under_way: number
                endpoint_gone: number
              }
              /** Whether more deliveries match. */
              hasMore: boolean
              /** The `after` for the next request, or null. */
              next: string | null
            }
          }
        }
      }
    }
  }
  retryWebhookDelivery: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the delivery. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['RetriedWebhookDelivery']
          }
        }
      }
    }
  }
  replayWebhookEvents: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          /** Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
          from: string
          /** Only events that happened at or before this ISO 8601 date or date-time. A date means the end of that day. The default is now. */
          to?: string
          /** Only these events. Defaults to all that the endpoint receives. */
          events?: (
            | 'payment.created'
            | 'payment.confirmed'
            | 'payment.cancelled'
            | 'payment.expired'
            | 'payment.refunded'
            | 'payment.failed'
            | 'order.new'
            | 'endpoint.failing'
          )[]
          /** Leaves out events that your endpoint has accepted. */
          onlyUndelivered?: boolean
          /** If true, the events are only counted, and the status is 200. */
          dryRun?: boolean
        }
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              /** Null after a dry run. */
              id: null | string
              endpointId: string
              /**
               * Null after a dry run.
               * @enum {string|null}
               */
              status: 'RUNNING' | 'DONE' | 'CANCELLED' | null
              /**
               * Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.
               * @enum {string|null}
               */
              cancellationReason: 'requested' | 'endpoint_gone' | null
              from: string
              to: string
              /** The events that are replayed. */
              events: (
                | 'payment.created'
                | 'payment.confirmed'
                | 'payment.cancelled'
                | 'payment.expired'
                | 'payment.refunded'
                | 'payment.failed'
                | 'order.new'
                | 'endpoint.failing'
              )[]
              onlyUndelivered: boolean
              /** True if the events were only counted. */
              dryRun: boolean
              /** The number of matching events in the period, including skipped ones. */
              total: number
              /** The number of deliveries re-queued so far. */
              requeued: number
              /** The number of missing deliveries created so far. */
              created: number
              /** The number that were already due or, with `onlyUndelivered`, DELIVERED. */
              skipped: number
              /** True for test data, which moves no money. */
              sandbox: boolean
              createdAt: string
              finishedAt: string | null
              /** After a dry run, the number of events that `onlyUndelivered` would send. Null after a real replay, or if `total` is more than 100,000. */
              undelivered: number | null
            }
          }
        }
      }
      /** Success. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              /** Null after a dry run. */
              id: null | string
              endpointId: string
              /**
               * Null after a dry run.
               * @enum {string|null}
               */
              status: 'RUNNING' | 'DONE' | 'CANCELLED' | null
              /**
               * Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.
               * @enum {string|null}
               */
              cancellationReason: 'requested' | 'endpoint_gone' | null
              from: string
              to: string
              /** The events that are replayed. */
              events: (
                | 'payment.created'
                | 'payment.confirmed'
                | 'payment.cancelled'
                | 'payment.expired'
                | 'payment.refunded'
                | 'payment.failed'
                | 'order.new'
                | 'endpoint.failing'
              )[]
              onlyUndelivered: boolean
              /** True if the events were only counted. */
              dryRun: boolean
              /** The number of matching events in the period, including skipped ones. */
              total: number
              /** The number of deliveries re-queued so far. */
              requeued: number
              /** The number of missing deliveries created so far. */
              created: number
              /** The number that were already due or, with `onlyUndelivered`, DELIVERED. */
              skipped: number
              /** True for test data, which moves no money. */
              sandbox: boolean
              createdAt: string
              finishedAt: string | null
              /** After a dry run, the number of events that `onlyUndelivered` would send. Null after a real replay, or if `total` is more than 100,000. */
              undelivered: number | null
            }
          }
        }
      }
    }
  }
  listWebhookReplays: {
    parameters: {
      query?: {
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              items: {
                id: string
                endpointId: string
                status: 'RUNNING' | 'DONE' | 'CANCELLED'
                /**
                 * Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.
                 * @enum {string|null}
                 */
                cancellationReason: 'requested' | 'endpoint_gone' | null
                from: string
                to: string
                /** The events that are replayed. */
                events: (
                  | 'payment.created'
                  | 'payment.confirmed'
                  | 'payment.cancelled'
                  | 'payment.expired'
                  | 'payment.refunded'
                  | 'payment.failed'
                  | 'order.new'
                  | 'endpoint.failing'
                )[]
                onlyUndelivered: boolean
                /** True if the events were only counted. */
                dryRun: boolean
                /** The number of matching events in the period, including skipped ones. */
                total: number
                /** The number of deliveries re-queued so far. */
                requeued: number
                /** The number of missing deliveries created so far. */
                created: number
                /** The number that were already due or, with `onlyUndelivered`, DELIVERED. */
                skipped: number
                /** True for test data, which moves no money. */
                sandbox: boolean
                createdAt: string
                finishedAt: string | null
              }[]
              page: number
              /** The number of items per page. */
              limit: number
              /** The number of items on all pages. */
              total: number
              /** Whether there is another page. */
              hasMore: boolean
            }
          }
        }
      }
    }
  }
  getWebhookReplay: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
        /** The `id` of the replay. */
        replayId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              id: string
              endpointId: string
              status: 'RUNNING' | 'DONE' | 'CANCELLED'
              /**
               * Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.
               * @enum {string|null}
               */
              cancellationReason: 'requested' | 'endpoint_gone' | null
              from: string
              to: string
              /** The events that are replayed. */
              events: (
                | 'payment.created'
                | 'payment.confirmed'
                | 'payment.cancelled'
                | 'payment.expired'
                | 'payment.refunded'
                | 'payment.failed'
                | 'order.new'
                | 'endpoint.failing'
              )[]
              onlyUndelivered: boolean
              /** True if the events were only counted. */
              dryRun: boolean
              /** The number of matching events in the period, including skipped ones. */
              total: number
              /** The number of deliveries re-queued so far. */
              requeued: number
              /** The number of missing deliveries created so far. */
              created: number
              /** The number that were already due or, with `onlyUndelivered`, DELIVERED. */
              skipped: number
              /** True for test data, which moves no money. */
              sandbox: boolean
              createdAt: string
              finishedAt: string | null
            }
          }
        }
      }
    }
  }
  cancelWebhookReplay: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the endpoint. */
        id: string
        /** The `id` of the replay. */
        replayId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: {
              id: string
              endpointId: string
              status: 'RUNNING' | 'DONE' | 'CANCELLED'
              /**
               * Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.
               * @enum {string|null}
               */
              cancellationReason: 'requested' | 'endpoint_gone' | null
              from: string
              to: string
              /** The events that are replayed. */
              events: (
                | 'payment.created'
                | 'payment.confirmed'
                | 'payment.cancelled'
                | 'payment.expired'
                | 'payment.refunded'
                | 'payment.failed'
                | 'order.new'
                | 'endpoint.failing'
              )[]
              onlyUndelivered: boolean
              /** True if the events were only counted. */
              dryRun: boolean
              /** The number of matching events in the period, including skipped ones. */
              total: number
              /** The number of deliveries re-queued so far. */
              requeued: number
              /** The number of missing deliveries created so far. */
              created: number
              /** The number that were already due or, with `onlyUndelivered`, DELIVERED. */
              skipped: number
              /** True for test data, which moves no money. */
              sandbox: boolean
              createdAt: string
              finishedAt: string | null
            }
          }
        }
      }
    }
  }
  listEvents: {
    parameters: {
      query?: {
        /** Only events of this type. */
        type?:
          | 'payment.created'
          | 'payment.confirmed'
          | 'payment.cancelled'
          | 'payment.expired'
          | 'payment.refunded'
          | 'payment.failed'
          | 'order.new'
          | 'endpoint.failing'
        /** Only events of the payment intent, order or webhook endpoint with this `referenceNumber`. */
        referenceNumber?: string
        /** Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only events that happened at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['EventPage']
          }
        }
      }
    }
  }
  readEventFeed: {
    parameters: {
      query?: {
        /** The `next` of the previous response. Without it, the feed begins with the oldest event. `latest` means events from now on. */
        after?: string
        /** Only events of this type. */
        type?:
          | 'payment.created'
          | 'payment.confirmed'
          | 'payment.cancelled'
          | 'payment.expired'
          | 'payment.refunded'
          | 'payment.failed'
          | 'order.new'
          | 'endpoint.failing'
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
        /** How many seconds to wait for an event. The response is sent as soon as there is one. */
        wait?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['EventFeed']
          }
        }
      }
    }
  }
  getEvent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `id` of the event. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['LoggedEvent']
          }
        }
      }
    }
  }
  importProducts: {
    parameters: {
      query?: {
        /** If `true`, the file is checked, but nothing changes. */
        dryRun?: 'true' | 'false'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ImportProductsBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['ImportResult']
          }
        }
      }
    }
  }
  exportProducts: {
    parameters: {
      query?: {
        /** The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon. */
        delimiter?: 'comma' | 'semicolon' | ',' | ';'
        /** Whether the file begins with a byte order mark, which Excel needs. By default, only a file with semicolons does. */
        bom?: 'true' | 'false'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The file. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  listProducts: {
    parameters: {
      query?: {
        /** Only products that are, or are not, for sale. */
        active?: 'true' | 'false'
        /** Only products whose name contains this text, ignoring case. */
        q?: string
        /** Only the product with this SKU. */
        sku?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['ProductPage']
          }
        }
      }
    }
  }
  createProduct: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateProductBody']
      }
    }
    responses: {
      /** Success. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Product']
          }
        }
      }
    }
  }
  getProduct: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `_id` of the product. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Product']
          }
        }
      }
    }
  }
  updateProduct: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `_id` of the product. */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['UpdateProductBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Product']
          }
        }
      }
    }
  }
  deleteProduct: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `_id` of the product. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['DeletedProduct']
          }
        }
      }
    }
  }
  changeStock: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `_id` of the product. */
        id: string
        /** The `_id` of the variant, or its label. */
        vid: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeStockBody']
      }
    }
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['StockedVariant']
          }
        }
      }
    }
  }
  simulateOrder: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['SimulateOrderBody']
      }
    }
    responses: {
      /** Success. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Order']
          }
        }
      }
    }
  }
  listOrders: {
    parameters: {
      query?: {
        /** Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is UTC. */
        from?: string
        /** Only items created at or before this ISO 8601 date or date-time. A date means the end of that day. */
        to?: string
        /** The page number, from 1. */
        page?: number
        /** The number of items per page. A number above 100 means 100. */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['OrderPage']
          }
        }
      }
    }
  }
  getOrder: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The `_id` of the order. */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** Success. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            success: true
            data: components['schemas']['Order']
          }
        }
      }
    }
  }
}

/** The body of each event's webhook. */
export interface WebhookEvents {
  'payment.created': PaymentCreatedEvent
  'payment.confirmed': PaymentConfirmedEvent
  'payment.cancelled': PaymentCancelledEvent
  'payment.expired': PaymentExpiredEvent
  'payment.refunded': PaymentRefundedEvent
  'payment.failed': PaymentFailedEvent
  'order.new': OrderNewEvent
  'endpoint.failing': EndpointFailingEvent
}
/** The body of a webhook. Compare `event` to find out which event it is. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents]

/** Every error code of the service. */
export type ErrorCode =
  | 'MISSING_CREDENTIALS'
  | 'INVALID_AUTH_HEADER'
  | 'INVALID_API_KEY'
  | 'API_ACCESS_NOT_ACTIVE'
  | 'LIVE_ACCESS_NOT_APPROVED'
  | 'SECRET_KEY_REQUIRED'
  | 'SCOPE_REQUIRED'
  | 'IP_NOT_ALLOWED'
  | 'FEATURE_DISABLED'
  | 'IDEMPOTENCY_KEY_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_REQUEST_IN_PROGRESS'
  | 'VALIDATION_ERROR'
  | 'INVALID_JSON'
  | 'AMOUNT_OUT_OF_RANGE'
  | 'INVALID_AMOUNT_TYPE'
  | 'LABEL_TOO_LONG'
  | 'INVALID_METADATA'
  | 'METADATA_TOO_MANY_KEYS'
  | 'METADATA_VALUE_TOO_LONG'
  | 'INVALID_REDIRECT_URL'
  | 'MERCHANT_REFERENCE_TAKEN'
  | 'SANDBOX_ONLY'
  | 'SANDBOX_MISMATCH'
  | 'INTENT_NOT_FOUND'
  | 'INTENT_NOT_PENDING'
  | 'INTENT_CANCEL_INVALID_STATUS'
  | 'INTENT_CANCEL_CONFLICT'
  | 'INTENT_REFUND_INVALID_STATUS'
  | 'PAYMENT_FAILED'
  | 'REFUND_FAILED'
  | 'REFUND_AMOUNT_MISMATCH'
  | 'SHOP_NOT_FOUND'
  | 'PRODUCT_NOT_FOUND'
  | 'VARIANT_NOT_FOUND'
  | 'VARIANT_LABEL_AMBIGUOUS'
  | 'ORDER_NOT_FOUND'
  | 'INSUFFICIENT_STOCK'
  | 'ENDPOINT_NOT_FOUND'
  | 'ENDPOINT_NOT_ACTIVE'
  | 'DELIVERY_NOT_FOUND'
  | 'REPLAY_NOT_FOUND'
  | 'EVENT_NOT_FOUND'
  | 'MAX_ENDPOINTS_REACHED'
  | 'EVENTS_NOT_PERMITTED'
  | 'INVALID_WEBHOOK_EVENT'
  | 'INVALID_WEBHOOK_URL'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'HEADERS_TOO_LARGE'
  | 'REQUEST_TIMEOUT'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_ERROR'

/** A method for each operation of the API, under its `operationId`. */
export interface Operations {
  /**
   * Create a payment intent.
   *
   * Creates a payment to collect: the customer pays on the page at `payUrl`, or types `code` at `codeUrl`, for example at a counter. An intent not paid before `expiresAt` becomes CANCELLED.
   *
   * Requires a secret key with the scope `payments.intents:write`.
   */
  createIntent(
    input?: NonNullable<operations['createIntent']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['createIntent']['responses'][201]['content']['application/json']['data']>
  /**
   * List payment intents.
   *
   * Returns the payment intents of the key's environment, newest first. You can filter by payment time, refund time or amount, but by only one of these three at a time.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  listIntents(
    input?: NonNullable<operations['listIntents']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listIntents']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve a payment intent.
   *
   * You can also use a publishable key, but then you get no fees and no refund reasons.
   *
   * Requires a key with the scope `payments.intents:read`.
   */
  getIntent(
    input: operations['getIntent']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getIntent']['responses'][200]['content']['application/json']['data']>
  /**
   * Cancel a payment intent.
   *
   * Only a PENDING intent can be cancelled. It can then no longer be paid. After INTENT_CANCEL_CONFLICT, retrieve the intent: a customer is paying it, or it has just changed.
   *
   * Requires a secret key with the scope `payments.intents:write`.
   */
  cancelIntent(
    input: operations['cancelIntent']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['cancelIntent']['responses'][200]['content']['application/json']['data']>
  /**
   * Simulate a payment.
   *
   * Pays a test intent as a customer would; no money moves. With `outcome`, the payment fails for the reason that you choose, and the service returns PAYMENT_FAILED.
   *
   * Requires a secret test key with the scope `payments.intents:write`.
   */
  simulatePayment(
    input: operations['simulatePayment']['parameters']['path'] &
      NonNullable<operations['simulatePayment']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['simulatePayment']['responses'][200]['content']['application/json']['data']>
  /**
   * Refund a payment intent.
   *
   * Refunds `amount`, or the remaining balance if you omit it. The response can take up to 20 seconds; after SERVICE_UNAVAILABLE, retry with the same idempotency key.
   *
   * Requires a secret key with the scope `payments.refunds:write`.
   */
  refundIntent(
    input: operations['refundIntent']['parameters']['path'] &
      NonNullable<operations['refundIntent']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['refundIntent']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve the balance.
   *
   * Returns what the service owes you: payments minus refunds, fees and payouts.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  getBalance(
    input?: Record<string, never>,
    options?: CallOptions,
  ): Promise<operations['getBalance']['responses'][200]['content']['application/json']['data']>
  /**
   * List balance entries.
   *
   * Returns every change to the balance, newest first. Each fee is a separate entry.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  listBalanceEntries(
    input?: NonNullable<operations['listBalanceEntries']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listBalanceEntries']['responses'][200]['content']['application/json']['data']>
  /**
   * List refunds.
   *
   * Returns the confirmed refunds of the key's environment, newest first.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  listRefunds(
    input?: NonNullable<operations['listRefunds']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listRefunds']['responses'][200]['content']['application/json']['data']>
  /**
   * List the statements for a month.
   *
   * Returns one statement for each UTC day of the month up to today, oldest first, on one page. With `Accept: text/csv`, you get a CSV file.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  listStatements(
    input?: NonNullable<operations['listStatements']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listStatements']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve the statement for a day.
   *
   * Returns what was booked on a UTC day. With `Accept: text/csv`, you get a CSV file.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  getStatement(
    input: operations['getStatement']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getStatement']['responses'][200]['content']['application/json']['data']>
  /**
   * Export payments to a file.
   *
   * Returns the payments of a period, one line per payment, with the merchant's and the payer's fees.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  exportPayments(
    input?: NonNullable<operations['exportPayments']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<Response>
  /**
   * Export refunds to a file.
   *
   * Returns the completed refunds of a period, one line per refund, with the returned fees.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  exportRefunds(
    input?: NonNullable<operations['exportRefunds']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<Response>
  /**
   * Export ledger entries to a file.
   *
   * Returns all changes to the balance during a period: payments, refunds, fees and payouts. Each line also shows the balance after the change.
   *
   * Requires a secret key with the scope `payments.intents:read`.
   */
  exportLedgerEntries(
    input?: NonNullable<operations['exportLedgerEntries']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<Response>
  /**
   * Create a webhook endpoint.
   *
   * Registers a URL for your events: only sandbox events with a test key, or sandbox and live events with a live key. Store the `secret`: only a repeat with the same idempotency key returns it again.
   *
   * Requires a secret key with the scope `webhooks.endpoints:write`.
   */
  createWebhookEndpoint(
    input: NonNullable<operations['createWebhookEndpoint']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['createWebhookEndpoint']['responses'][201]['content']['application/json']['data']>
  /**
   * Retrieve a webhook endpoint.
   *
   * Returns the endpoint without its secret. `last24Hours` is as in the list.
   *
   * Requires a secret key with the scope `webhooks.endpoints:read`.
   */
  getWebhookEndpoint(
    input: operations['getWebhookEndpoint']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getWebhookEndpoint']['responses'][200]['content']['application/json']['data']>
  /**
   * Update a webhook endpoint.
   *
   * Changes only the fields that you send. `events` and `headers` replace all earlier ones.
   *
   * Requires a secret key with the scope `webhooks.endpoints:write`.
   */
  updateWebhookEndpoint(
    input: operations['updateWebhookEndpoint']['parameters']['path'] &
      NonNullable<operations['updateWebhookEndpoint']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['updateWebhookEndpoint']['responses'][200]['content']['application/json']['data']>
  /**
   * Delete a webhook endpoint.
   *
   * Unfinished deliveries become CANCELLED, and a request already in flight is aborted within 3 seconds. A live key can delete test endpoints too.
   *
   * Requires a secret key with the scope `webhooks.endpoints:write`.
   */
  deleteWebhookEndpoint(
    input: operations['deleteWebhookEndpoint']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['deleteWebhookEndpoint']['responses'][200]['content']['application/json']['data']>
  /**
   * Send a test event.
   *
   * Sends one signed sample event, without retries. The status is 200 even if the attempt fails: check `delivered`.
   *
   * Requires a secret key with the scope `webhooks.endpoints:write`.
   */
  testWebhookEndpoint(
    input: operations['testWebhookEndpoint']['parameters']['path'] &
      NonNullable<operations['testWebhookEndpoint']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['testWebhookEndpoint']['responses'][200]['content']['application/json']['data']>
  /**
   * Rotate a webhook secret.
   *
   * Creates a new signing secret, which only this response contains. Your key needs the scopes for all events of the endpoint. For 24 hours, deliveries also carry a signature with the old secret.
   *
   * Requires a secret key with the scope `webhooks.endpoints:write`.
   */
  rotateWebhookSecret(
    input: operations['rotateWebhookSecret']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['rotateWebhookSecret']['responses'][200]['content']['application/json']['data']>
  /**
   * List webhook endpoints.
   *
   * Returns the webhook endpoints of one environment, newest first, without their secrets. `last24Hours` shows how many of the latest attempts succeeded.
   *
   * Requires a secret key with the scope `webhooks.endpoints:read`.
   */
  listWebhookEndpoints(
    input?: NonNullable<operations['listWebhookEndpoints']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listWebhookEndpoints']['responses'][200]['content']['application/json']['data']>
  /**
   * List webhook deliveries.
   *
   * Returns the webhook deliveries of the key's environment, newest first. For a test key, attempts to live endpoints are hidden, and fields about them are null.
   *
   * Requires a secret key with the scope `webhooks.deliveries:read`.
   */
  listWebhookDeliveries(
    input?: NonNullable<operations['listWebhookDeliveries']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listWebhookDeliveries']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve a webhook delivery.
   *
   * Returns the delivery with its body, its latest attempts and the headers of the last one.
   *
   * Requires a secret key with the scope `webhooks.deliveries:read`.
   */
  getWebhookDelivery(
    input: operations['getWebhookDelivery']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getWebhookDelivery']['responses'][200]['content']['application/json']['data']>
  /**
   * Retry webhook deliveries by filter.
   *
   * Retries every matching delivery once, oldest first, up to 500 per request. If `hasMore` is true, repeat it with a new idempotency key and `next` as `after`.
   *
   * Requires a secret key with the scope `webhooks.deliveries:write`.
   */
  retryWebhookDeliveries(
    input?: NonNullable<operations['retryWebhookDeliveries']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['retryWebhookDeliveries']['responses'][200]['content']['application/json']['data']>
  /**
   * Retry a webhook delivery.
   *
   * Makes one more attempt now, with the same `id` and body, or explains in `reason` why not.
   *
   * Requires a secret key with the scope `webhooks.deliveries:write`.
   */
  retryWebhookDelivery(
    input: operations['retryWebhookDelivery']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['retryWebhookDelivery']['responses'][200]['content']['application/json']['data']>
  /**
   * Replay events to an endpoint.
   *
   * Sends the events of a period to the endpoint again, oldest first, alongside new events. An existing delivery gets one more attempt with the same `id` and body; a missing one is created.
   *
   * Requires a secret key with the scope `webhooks.deliveries:write`.
   */
  replayWebhookEvents(
    input: operations['replayWebhookEvents']['parameters']['path'] &
      NonNullable<operations['replayWebhookEvents']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['replayWebhookEvents']['responses'][200]['content']['application/json']['data']>
  /**
   * List the replays of an endpoint.
   *
   * Returns the replays, newest first. They are kept for 90 days, or 30 days in the sandbox.
   *
   * Requires a secret key with the scope `webhooks.deliveries:read`.
   */
  listWebhookReplays(
    input: operations['listWebhookReplays']['parameters']['path'] &
      NonNullable<operations['listWebhookReplays']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listWebhookReplays']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve a replay.
   *
   * Returns the replay. Once it is DONE, `requeued`, `created` and `skipped` add up to `total`.
   *
   * Requires a secret key with the scope `webhooks.deliveries:read`.
   */
  getWebhookReplay(
    input: operations['getWebhookReplay']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getWebhookReplay']['responses'][200]['content']['application/json']['data']>
  /**
   * Cancel a replay.
   *
   * Stops a running replay within 2 s. Attempts that it has already scheduled are still made.
   *
   * Requires a secret key with the scope `webhooks.deliveries:write`.
   */
  cancelWebhookReplay(
    input: operations['cancelWebhookReplay']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['cancelWebhookReplay']['responses'][200]['content']['application/json']['data']>
  /**
   * List events.
   *
   * Returns the events of the key's environment, newest first, even if no endpoint was subscribed to them. A key sees only events that it may subscribe an endpoint to.
   *
   * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`, `webhooks.endpoints:read`.
   */
  listEvents(
    input?: NonNullable<operations['listEvents']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listEvents']['responses'][200]['content']['application/json']['data']>
  /**
   * Follow the event feed.
   *
   * Returns events in the order in which they were logged, oldest first. Send the `next` of each response as `after` in the next request to get every event exactly once, even if you pause for days.
   *
   * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`, `webhooks.endpoints:read`.
   */
  readEventFeed(
    input?: NonNullable<operations['readEventFeed']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['readEventFeed']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve an event.
   *
   * Returns one event with the body of its webhooks, or SCOPE_REQUIRED if the key may not read its type.
   *
   * Requires a secret key with any of the scopes `payments.intents:read`, `store.orders:read`, `webhooks.endpoints:read`.
   */
  getEvent(
    input: operations['getEvent']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getEvent']['responses'][200]['content']['application/json']['data']>
  /**
   * Import products from a CSV file.
   *
   * Creates and updates products from a file with one row per variant. If the file has a fault, nothing changes, and `details.faults` lists the faults by row and column.
   *
   * Requires a secret key with the scope `store.products:write`.
   */
  importProducts(
    input: NonNullable<operations['importProducts']['parameters']['query']> &
      NonNullable<operations['importProducts']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['importProducts']['responses'][200]['content']['application/json']['data']>
  /**
   * Export products to a CSV file.
   *
   * Returns all products, one row per variant, oldest product first. Importing the file again (up to 5000 rows) changes nothing.
   *
   * Requires a secret key with the scope `store.products:read`.
   */
  exportProducts(
    input?: NonNullable<operations['exportProducts']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<Response>
  /**
   * Create a product.
   *
   * Send either `variants` or a `price`. Without `variants`, the product gets one variant called `Default`, with the `price`, `stock` and `sku` that you send.
   *
   * Requires a secret key with the scope `store.products:write`.
   */
  createProduct(
    input: NonNullable<operations['createProduct']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['createProduct']['responses'][201]['content']['application/json']['data']>
  /**
   * List products.
   *
   * Returns the products of the key's environment, newest first.
   *
   * Requires a secret key with the scope `store.products:read`.
   */
  listProducts(
    input?: NonNullable<operations['listProducts']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listProducts']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve a product.
   *
   * Returns the product with its variants and their stock.
   *
   * Requires a secret key with the scope `store.products:read`.
   */
  getProduct(
    input: operations['getProduct']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getProduct']['responses'][200]['content']['application/json']['data']>
  /**
   * Update a product.
   *
   * Changes the fields that you send. Identify a variant by its `_id` or `label`; a new `label` creates a variant, which needs a `price`.
   *
   * Requires a secret key with the scope `store.products:write`.
   */
  updateProduct(
    input: operations['updateProduct']['parameters']['path'] &
      NonNullable<operations['updateProduct']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['updateProduct']['responses'][200]['content']['application/json']['data']>
  /**
   * Delete a product.
   *
   * Deletes the product with its variants. Orders keep their copy of what was sold.
   *
   * Requires a secret key with the scope `store.products:write`.
   */
  deleteProduct(
    input: operations['deleteProduct']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['deleteProduct']['responses'][200]['content']['application/json']['data']>
  /**
   * Change the stock of a variant.
   *
   * Send either `stock` (the new stock level) or `delta` (the number of units to add or subtract). A change that would bring the stock below 0 is refused with INSUFFICIENT_STOCK.
   *
   * Requires a secret key with the scope `store.products:write`.
   */
  changeStock(
    input: operations['changeStock']['parameters']['path'] &
      NonNullable<operations['changeStock']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['changeStock']['responses'][200]['content']['application/json']['data']>
  /**
   * Simulate an order.
   *
   * Places an order in your test shop, as a customer would, and takes its items from stock. Without `items`, orders one unit of a variant in stock, and first adds a sample product to an empty shop.
   *
   * Requires a secret test key with the scope `store.orders:write`.
   */
  simulateOrder(
    input?: NonNullable<operations['simulateOrder']['requestBody']>['content']['application/json'],
    options?: CallOptions,
  ): Promise<operations['simulateOrder']['responses'][201]['content']['application/json']['data']>
  /**
   * List orders.
   *
   * Returns the orders of the key's environment, newest first.
   *
   * Requires a secret key with the scope `store.orders:read`.
   */
  listOrders(
    input?: NonNullable<operations['listOrders']['parameters']['query']>,
    options?: CallOptions,
  ): Promise<operations['listOrders']['responses'][200]['content']['application/json']['data']>
  /**
   * Retrieve an order.
   *
   * An order keeps a copy of its products, so later changes to them do not affect it.
   *
   * Requires a secret key with the scope `store.orders:read`.
   */
  getOrder(
    input: operations['getOrder']['parameters']['path'],
    options?: CallOptions,
  ): Promise<operations['getOrder']['responses'][200]['content']['application/json']['data']>
}

/** The operations that return a page of a list. */
export type ListId =
  | 'listIntents'
  | 'listBalanceEntries'
  | 'listRefunds'
  | 'listWebhookEndpoints'
  | 'listWebhookDeliveries'
  | 'listWebhookReplays'
  | 'listEvents'
  | 'listProducts'
  | 'listOrders'

/** The method and path of every operation. */
const table = {
  createIntent: { method: 'POST', path: '/dev/intents', hasBody: true },
  listIntents: { method: 'GET', path: '/dev/intents' },
  getIntent: { method: 'GET', path: '/dev/intents/{referenceNumber}' },
  cancelIntent: { method: 'POST', path: '/dev/intents/{referenceNumber}/cancel' },
  simulatePayment: { method: 'POST', path: '/dev/intents/{referenceNumber}/simulate-payment', hasBody: true },
  refundIntent: { method: 'POST', path: '/dev/intents/{referenceNumber}/refund', hasBody: true },
  getBalance: { method: 'GET', path: '/dev/balance' },
  listBalanceEntries: { method: 'GET', path: '/dev/balance/entries' },
  listRefunds: { method: 'GET', path: '/dev/refunds' },
  listStatements: { method: 'GET', path: '/dev/statements' },
  getStatement: { method: 'GET', path: '/dev/statements/{day}' },
  exportPayments: { method: 'GET', path: '/dev/exports/payments', isFile: true },
  exportRefunds: { method: 'GET', path: '/dev/exports/refunds', isFile: true },
  exportLedgerEntries: { method: 'GET', path: '/dev/exports/entries', isFile: true },
  createWebhookEndpoint: { method: 'POST', path: '/dev/webhooks/endpoints', hasBody: true },
  getWebhookEndpoint: { method: 'GET', path: '/dev/webhooks/endpoints/{id}' },
  updateWebhookEndpoint: { method: 'PUT', path: '/dev/webhooks/endpoints/{id}', hasBody: true },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/dev/webhooks/endpoints/{id}' },
  testWebhookEndpoint: { method: 'POST', path: '/dev/webhooks/endpoints/{id}/test', hasBody: true },
  rotateWebhookSecret: { method: 'POST', path: '/dev/webhooks/endpoints/{id}/rotate-secret' },
  listWebhookEndpoints: { method: 'GET', path: '/dev/webhooks' },
  listWebhookDeliveries: { method: 'GET', path: '/dev/webhooks/events' },
  getWebhookDelivery: { method: 'GET', path: '/dev/webhooks/events/{id}' },
  retryWebhookDeliveries: { method: 'POST', path: '/dev/webhooks/events/retry', hasBody: true },
  retryWebhookDelivery: { method: 'POST', path: '/dev/webhooks/events/{id}/retry' },
  replayWebhookEvents: { method: 'POST', path: '/dev/webhooks/endpoints/{id}/replay', hasBody: true },
  listWebhookReplays: { method: 'GET', path: '/dev/webhooks/endpoints/{id}/replays' },
  getWebhookReplay: { method: 'GET', path: '/dev/webhooks/endpoints/{id}/replays/{replayId}' },
  cancelWebhookReplay: { method: 'POST', path: '/dev/webhooks/endpoints/{id}/replays/{replayId}/cancel' },
  listEvents: { method: 'GET', path: '/dev/events' },
  readEventFeed: { method: 'GET', path: '/dev/events/feed' },
  getEvent: { method: 'GET', path: '/dev/events/{id}' },
  importProducts: {
    method: 'POST',
    path: '/dev/store/products/import-csv',
    query: ['dryRun'],
    hasBody: true,
  },
  exportProducts: { method: 'GET', path: '/dev/store/products/export-csv', isFile: true },
  createProduct: { method: 'POST', path: '/dev/store/products', hasBody: true },
  listProducts: { method: 'GET', path: '/dev/store/products' },
  getProduct: { method: 'GET', path: '/dev/store/products/{id}' },
  updateProduct: { method: 'PUT', path: '/dev/store/products/{id}', hasBody: true },
  deleteProduct: { method: 'DELETE', path: '/dev/store/products/{id}' },
  changeStock: { method: 'PATCH', path: '/dev/store/products/{id}/variants/{vid}/stock', hasBody: true },
  simulateOrder: { method: 'POST', path: '/dev/store/orders/simulate', hasBody: true },
  listOrders: { method: 'GET', path: '/dev/store/orders' },
  getOrder: { method: 'GET', path: '/dev/store/orders/{id}' },
} as const

// End of the generated part.

/** One invalid field of a request. */
interface InvalidField {
  param: string
  code: string
  message: string
}

/**
 * The codes of errors that the client itself finds. With CONNECTION_FAILED and TIMEOUT, the client received no complete
 * response. With INVALID_RESPONSE, the response does not come from the service, but for example from a proxy. With
 * REDIRECTED, `baseUrl` is not the address of the service, or no longer. With IDEMPOTENCY_PARAMS_MISMATCH, the key was
 * used before with another request, and nothing was done now.
 */
export type ClientErrorCode =
  | 'CONNECTION_FAILED'
  | 'TIMEOUT'
  | 'INVALID_RESPONSE'
  | 'REDIRECTED'
  | 'IDEMPOTENCY_PARAMS_MISMATCH'

interface PaymentsErrorFields {
  code: string
  message: string
  /** Undefined if there was no response. */
  statusCode?: number | undefined
  requestId?: string | undefined
  param?: string | undefined
  details?: unknown
  retryAfterSeconds?: number | undefined
  response?: unknown
  cause?: unknown
}

/**
 * The error that every operation throws. Your program should read `code`, because `message` may change. Later versions
 * of the service may add codes.
 */
export class PaymentsError extends Error {
  readonly code: ErrorCode | ClientErrorCode | (string & Record<never, never>)
  /** The HTTP status. Undefined if there was no response. */
  readonly statusCode: number | undefined
  /** Identifies the request. Include it when you contact support. */
  readonly requestId: string | undefined
  /** The first field that is not valid, such as `variants[1].price`. */
  readonly param: string | undefined
  /** For invalid fields, a list of all of them. Otherwise an object whose fields depend on the code. */
  readonly details: InvalidField[] | Record<string, unknown> | undefined
  /** The seconds after which the service accepts the request again, if it said so. */
  readonly retryAfterSeconds: number | undefined
  /** With IDEMPOTENCY_PARAMS_MISMATCH, the stored response to the other request. */
  readonly response: unknown

  constructor(fields: PaymentsErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.name = 'PaymentsError'
    this.code = fields.code
    this.statusCode = fields.statusCode
    this.requestId = fields.requestId
    this.param = fields.param
    this.details = fields.details as PaymentsError['details']
    this.retryAfterSeconds = fields.retryAfterSeconds
    // Logs don't show it, because it may contain a webhook secret.
    Object.defineProperty(this, 'response', { value: fields.response, enumerable: false })
  }
}

export type OperationId = keyof Operations

/** Options of one operation. */
export interface CallOptions {
  /**
   * The idempotency key of a write. Defaults to a new UUID. Store your own key with the order if a restarted program
   * must be able to repeat the write.
   */
  idempotencyKey?: string | undefined
  /** Cancels the operation. The service may have carried it out already. */
  signal?: AbortSignal | undefined
  /** Replaces `timeoutMs` of the client. */
  timeoutMs?: number | undefined
  /** Replaces `maxRetries` of the client. */
  maxRetries?: number | undefined
}

/** The path parameters, the query parameters and the fields of the body of an operation, in one object. */
export type Input<Id extends OperationId> = NonNullable<Parameters<Operations[Id]>[0]>

/** The `data` of an operation's response. A download returns the `Response`, whose body can be streamed. */
export type Data<Id extends OperationId> = Awaited<ReturnType<Operations[Id]>>

export type Item<Id extends ListId> = Data<Id> extends { items: (infer Each)[] } ? Each : never

/** The input can be omitted if it has no required field. */
type ListArguments<Id extends ListId> =
  Partial<Omit<Input<Id>, 'page'>> extends Omit<Input<Id>, 'page'>
    ? [input?: Omit<Input<Id>, 'page'>, options?: CallOptions]
    : [input: Omit<Input<Id>, 'page'>, options?: CallOptions]

/** The delay before the first retry. It doubles with each retry. */
const firstDelayMs = 500
const longestDelayMs = 8_000
/** If the service requires a longer wait, for example because of a daily quota, the error is thrown at once. */
const longestWaitSeconds = 60

/**
 * Returns the delay before the retry in ms, or undefined if a retry would not help. A random part keeps clients from
 * retrying at the same time.
 */
function delayBeforeRetry(error: PaymentsError, retries: number): number | undefined {
  const { statusCode, code, retryAfterSeconds = 0 } = error
  const isTemporary =
    code === 'CONNECTION_FAILED' ||
    code === 'TIMEOUT' ||
    code === 'IDEMPOTENCY_REQUEST_IN_PROGRESS' ||
    (statusCode !== undefined && (statusCode >= 500 || [408, 429].includes(statusCode)))
  if (!isTemporary || retryAfterSeconds > longestWaitSeconds) return undefined
  const delayMs = Math.min(firstDelayMs * 2 ** retries, longestDelayMs)
  return Math.max(delayMs * (0.5 + Math.random() / 2), retryAfterSeconds * 1000 * (1 + Math.random() / 10))
}

/** Waits, or throws the signal's reason as soon as the signal is aborted. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel)
      resolve()
    }, ms)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
}

/** Sends the request once. Returns an error that may be temporary, and throws if the caller cancels. */
async function attempt(
  start: (signal: AbortSignal) => Promise<Response>,
  origin: string,
  isDownload: boolean,
  timeoutMs: number,
  canceller: AbortSignal | undefined,
): Promise<{ data: unknown } | PaymentsError> {
  canceller?.throwIfAborted()
  const controller = new AbortController()
  const cancel = () => controller.abort()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    cancel()
  }, timeoutMs)
  canceller?.addEventListener('abort', cancel)
  let isFile = false
  try {
    const response = await start(controller.signal)
    isFile = isDownload && response.ok && !isJson(response)
    return isFile ? { data: response } : await read(response)
  } catch (cause) {
    canceller?.throwIfAborted()
    if (isLate)
      return new PaymentsError({
        code: 'TIMEOUT',
        message: `There was no complete response within ${timeoutMs} ms.`,
      })
    return new PaymentsError({
      code: 'CONNECTION_FAILED',
      message: `The connection to ${origin} failed: ${reasonOf(cause)}.`,
      cause,
    })
  } finally {
    clearTimeout(timer)
    // The caller can still cancel the download of a file.
    if (!isFile) canceller?.removeEventListener('abort', cancel)
  }
}

/** `fetch` hides the reason in its error's cause. */
function reasonOf(error: unknown): string {
  const { code, message } = Object((error as Error).cause ?? error) as { code?: string; message?: string }
  return code ?? message ?? String(error)
}

const isJson = (response: Response): boolean =>
  /^application\/json\b/.test(response.headers.get('content-type') ?? '')

/** Reads the envelope of a response. */
async function read(response: Response): Promise<{ data: unknown } | PaymentsError> {
  const { status, headers, ok } = response
  // In browsers, a redirect has the status 0.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) return redirected(response)
  const text = await response.text()
  const envelope = isJson(response) ? parseEnvelope(text) : undefined
  const requestId = headers.get('x-request-id') ?? undefined
  if (envelope !== undefined && headers.get('idempotent-params-mismatch') === 'true')
    return new PaymentsError({
      requestId,
      code: 'IDEMPOTENCY_PARAMS_MISMATCH',
      message: 'The idempotency key was used before with another request.',
      statusCode: status,
      response: envelope,
    })
  if (ok && envelope?.success === true) return { data: envelope.data }
  const wait = Number(headers.get('retry-after') ?? Number.NaN)
  const type = headers.get('content-type') ?? 'no content type'
  const what = envelope === undefined ? `is not JSON (${type})` : 'has another form'
  return new PaymentsError({
    requestId,
    code: 'INVALID_RESPONSE',
    message: `The response does not come from the service: it has the status ${status} and ${what}.`,
    ...(typeof envelope?.error?.code === 'string' ? envelope.error : {}),
    statusCode: status,
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
  })
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    return Object(JSON.parse(text)) as Envelope
  } catch {
    return undefined
  }
}

/** Following a redirect would send the key to another address, and could turn a POST into a GET. */
function redirected(response: Response): PaymentsError {
  const { status, url, headers } = response
  let to = 'another address'
  try {
    // The rest of the URL may be confidential.
    to = new URL(headers.get('location') ?? '', url).origin
  } catch {
    // There is no valid location.
  }
  return new PaymentsError({
    code: 'REDIRECTED',
    message: `The request was redirected to ${to}, which the client does not follow. Correct baseUrl.`,
    statusCode: status,
  })
}

interface Envelope {
  success?: boolean
  data?: unknown
  error?: { code: string; message: string; requestId: string; param?: string; details?: unknown }
}

export interface PaymentsSettings {
  /** A secret key (`sk_test_…` or `sk_live_…`). The client never shows it. */
  key: string
  /** The URL of the service. */
  baseUrl: string
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** The timeout of one attempt, in ms. Defaults to 30 000, because a refund may take 20 s. */
  timeoutMs?: number | undefined
  /** How often an operation is repeated after an error that may be temporary. Defaults to 4. */
  maxRetries?: number | undefined
}

/** The method and the path of an operation, and where the fields of its input belong. */
interface Endpoint {
  method: string
  path: string
  /** The query parameters of a write. All fields of a read that are not in the path are query parameters. */
  query?: readonly string[]
  hasBody?: true
  /** The response is a file, which the caller reads. */
  isFile?: true
}

type Send = (endpoint: Endpoint, input: Record<string, unknown>, options?: CallOptions) => Promise<unknown>

/** A key with other characters could not be a header, and the error of `fetch` would show it. */
const keyPattern = /^[\x21-\x7e]+$/

/**
 * Creates the function that sends operations. It repeats an operation after a temporary error. A write keeps its
 * idempotency key, so the service carries it out only once.
 */
function createSend(settings: PaymentsSettings): Send {
  const { key, baseUrl, timeoutMs = 30_000, maxRetries = 4 } = settings
  if (!isString(key) || !keyPattern.test(key))
    throw new TypeError('key must be an API key, such as sk_test_…')
  if (!isString(baseUrl) || !/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(baseUrl))
    throw new TypeError('baseUrl must be the URL of the service, such as https://pay.example')
  const base = baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  const { origin } = new URL(base)
  const fetchNow = settings.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))

  return async (endpoint, input, options = {}) => {
    const { url, body } = addressOf(endpoint, input)
    const headers = new Headers({
      Accept: 'application/json, */*;q=0.5',
      'User-Agent': `payment-intents-mru-client/${version}`,
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(endpoint.method === 'GET'
        ? {}
        : { 'X-Idempotency-Key': options.idempotencyKey ?? webCrypto.randomUUID() }),
    })
    const init = {
      method: endpoint.method,
      headers,
      redirect: 'manual' as const,
      ...(body === undefined ? {} : { body }),
    }
    const most = options.maxRetries ?? maxRetries
    for (let retries = 0; ; retries += 1) {
      const result = await attempt(
        (signal) => fetchNow(`${base}/api/v1${url}`, { ...init, signal }),
        origin,
        endpoint.isFile ?? false,
        options.timeoutMs ?? timeoutMs,
        options.signal,
      )
      if (!(result instanceof PaymentsError)) return result.data
      const delayMs = delayBeforeRetry(result, retries)
      if (retries >= most || delayMs === undefined) throw result
      await sleep(delayMs, options.signal)
    }
  }
}

/** Fills in the path, and divides the other fields of the input into the query and the JSON body. */
function addressOf({ method, path, query = [], hasBody }: Endpoint, input: Record<string, unknown>) {
  // The copy would have only the input's own fields.
  refuseLost.call({ '': input }, '', input)
  const rest = { ...input }
  const take = (name: string): unknown => {
    const value = rest[name]
    delete rest[name]
    return value
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name)
    // URL parsers remove such a segment, so the request would go to another path.
    if (!isString(value) || ['', '.', '..'].includes(value)) throw new TypeError(`${name} must be an id.`)
    return encodeURIComponent(value)
  })
  const params = new URLSearchParams()
  for (const name of method === 'GET' ? Object.keys(rest) : query) {
    const value = take(name)
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) params.append(name, String(each))
  }
  const search = params.toString()
  return {
    url: search === '' ? filled : `${filled}?${search}`,
    body: hasBody ? JSON.stringify(rest, refuseLost) : undefined,
  }
}

/** JSON.stringify omits or replaces some values. A refund without its amount would be a full refund, so this throws. */
function refuseLost(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const isText = !/\p{Surrogate}/u.test(name) && (typeof value !== 'string' || !/\p{Surrogate}/u.test(value))
  // toJSON may replace a field, but not the input.
  const isReplaced = value !== this[name] && (name === '' || value === null)
  if (isPlain(value) && isText && !isReplaced) return value
  if (value === undefined) throw new TypeError(`${name} is undefined. Leave it out instead.`)
  throw new TypeError(`${name || 'The input'} cannot be sent as JSON.`)
}

/** Fields that are inherited, private, hidden or named by a symbol would be omitted. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true
  if (typeof value !== 'object') return Number.isFinite(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  const count = Reflect.ownKeys(value).length
  if (Array.isArray(value)) {
    const isList = Object.keys(value).every((key, index) => key === String(index))
    return isList && prototype === Array.prototype && count === value.length + 1
  }
  return (prototype === Object.prototype || prototype === null) && count === Object.keys(value).length
}

/** The delay before the next request if the service could not hold the last one, and so responded at once. */
const pollEveryMs = 1_000

/** Where to begin (`after`: a stored cursor, or `latest`), one `type` of event, and how long a request waits. */
export type FollowOptions = {
  [Name in keyof Input<'readEventFeed'>]: Input<'readEventFeed'>[Name] | undefined
}

/** The events, in the order of the log. */
export interface EventIterator extends AsyncGenerator<LoggedEvent, void, undefined> {
  /**
   * Where to continue later. Store it after you have handled an event. It advances with the last event of each
   * request, so a restart may repeat events. Use the id of each event to recognise them.
   */
  readonly cursor: string | undefined
}

/**
 * Follows the event log. The iteration ends only when `signal` is aborted, or with an error that is not temporary.
 * Unless `maxRetries` is given, it continues after every temporary error.
 */
function followEvents(send: Send, options: FollowOptions = {}, call: CallOptions = {}): EventIterator {
  const { after, wait = 25, ...filter } = options
  // The timeout must be longer than the time for which the service holds the request.
  const endless = { maxRetries: Infinity, timeoutMs: (wait + 15) * 1000, ...call }
  let cursor = after
  async function* follow(): AsyncGenerator<LoggedEvent, void, undefined> {
    while (!call.signal?.aborted) {
      const page = await readFeed()
      if (page === undefined) return
      const last = page.items.pop()
      yield* page.items
      cursor = page.next
      if (last !== undefined) yield last
    }
  }
  async function readFeed(): Promise<EventFeed | undefined> {
    try {
      // A retried request for the latest position would skip events, so this one does not wait.
      const query = { ...filter, after: cursor, wait: cursor === 'latest' ? 0 : wait }
      const nextAt = cursor === 'latest' ? 0 : Date.now() + pollEveryMs
      const page = (await send(table.readEventFeed, query, endless)) as EventFeed
      if (page.items.length === 0) await sleep(Math.max(0, nextAt - Date.now()), call.signal)
      return page
    } catch (error) {
      if (call.signal?.aborted) return undefined
      throw error
    }
  }
  return Object.defineProperty(follow(), 'cursor', { get: () => cursor }) as unknown as EventIterator
}

/** The client. Every operation of the API is a method, under its `operationId`. */
export interface Payments extends Operations {
  /**
   * Iterates over all items of a list, newest first. Reads the next page when the items of one page are used up. It
   * skips items that moved to the next page because newer items were created in between. If you change items so that
   * they leave the list, collect all of them first, because the others move to earlier pages.
   */
  listAll<Id extends ListId>(id: Id, ...args: ListArguments<Id>): AsyncGenerator<Item<Id>, void, undefined>
  /** Follows the event log, so that your program misses no event, even if it was offline. */
  followEvents(options?: FollowOptions, call?: CallOptions): EventIterator
}

/** Creates a client. No property of the client contains the key. */
export function createPayments(settings: PaymentsSettings): Payments {
  const send = createSend(settings)
  const operations = Object.entries<Endpoint>(table).map(([id, endpoint]) => [
    id,
    async (input: Record<string, unknown> = {}, options?: CallOptions) => {
      refuseMisplaced(id, input)
      return send(endpoint, input, options)
    },
  ])
  return {
    ...(Object.fromEntries(operations) as unknown as Operations),
    listAll(id, ...[query, options]) {
      if (!Object.hasOwn(table, id)) throw new TypeError(`There is no list ${id}.`)
      return listAll(send, table[id], query, options)
    },
    followEvents: (options, call) => followEvents(send, options, call),
  }
}

/** Among the fields, the idempotency key would be ignored, and a second order could be created. */
function refuseMisplaced(id: string, input: unknown): void {
  if (typeof input !== 'object' || input === null)
    throw new TypeError(
      `${id} takes an object with all fields, even with a single one, and then the options.`,
    )
  const option = ['idempotencyKey', 'signal', 'timeoutMs', 'maxRetries'].find((name) => name in input)
  if (option !== undefined) throw new TypeError(`${option} belongs in the second argument of ${id}.`)
}

interface ListPage {
  items: { id?: string; _id?: string; referenceNumber?: string }[]
  hasMore: boolean
}

async function* listAll<T>(
  send: Send,
  endpoint: Endpoint,
  query: object | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<T, void, undefined> {
  let before = new Set<unknown>()
  for (let page = 1; ; page += 1) {
    const { items, hasMore } = (await send(endpoint, { limit: 100, ...query, page }, options)) as ListPage
    const ids = items.map((item) => item.id ?? item._id ?? item.referenceNumber ?? item)
    for (const [index, item] of items.entries()) if (!before.has(ids[index])) yield item as T
    if (!hasMore) return
    before = new Set(ids)
  }
}

declare const require: (name: string) => { webcrypto: typeof globalThis.crypto }
/** Node.js 18 has no global `crypto`. Later versions and ES modules never reach `require`. */
const webCrypto = globalThis.crypto ?? require('crypto').webcrypto

/** Headers as Node.js, `fetch` or a test represent them. Names may have any case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface SignedWebhook {
  /** The raw body, exactly as it arrived. A parsed and re-encoded body has another signature. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** The secret of the endpoint, or several secrets of which one must match. */
  secret: string | readonly string[]
  /** How far the signature's time may differ from the clock, in seconds. Defaults to 300. */
  toleranceSeconds?: number | undefined
  /** The current time, for tests. */
  now?: Date | undefined
}

/** The error for a webhook that is not genuine. Respond with 401, and do not use the body. */
export class WebhookVerificationError extends Error {
  readonly code: 'INVALID_TIMESTAMP' | 'TIMESTAMP_OUT_OF_TOLERANCE' | 'SIGNATURE_MISMATCH' | 'INVALID_JSON'

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

/**
 * Verifies that a webhook comes from the service, and returns its event. Throws WebhookVerificationError if it does
 * not. The comparison takes the same time for every wrong signature. It uses WebCrypto, which all runtimes have, so it
 * is asynchronous. The same event may arrive more than once: recognise it by its `eventId`, which is signed.
 */
export async function verifyWebhook(webhook: SignedWebhook): Promise<WebhookEvent & { eventId: string }> {
  const { body, headers, secret, toleranceSeconds = 300, now = new Date() } = webhook
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every((each) => each && isString(each)))
    throw new TypeError("secret must be the endpoint's secret, and not empty.")
  if (!isString(body) && !ArrayBuffer.isView(body))
    throw new TypeError('body must be the raw body, a string or a Uint8Array. Do not parse it first.')
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('headers must be the headers of the request.')
  const signings = signingsOf(headers).filter(({ timestamp }) => /^\d{1,12}$/.test(timestamp))
  if (signings.length === 0)
    throw new WebhookVerificationError(
      'INVALID_TIMESTAMP',
      'The header X-…-Timestamp is missing or malformed.',
    )
  const recent = signings.filter(
    ({ timestamp }) => Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds,
  )
  if (recent.length === 0)
    throw new WebhookVerificationError(
      'TIMESTAMP_OUT_OF_TOLERANCE',
      `The webhook was signed more than ${toleranceSeconds} s before or after the time of this clock.`,
    )
  const keys = await Promise.all(secrets.map((each) => hmacKey(encoder.encode(each))))
  for (const { timestamp, signatures } of recent)
    for (const key of keys)
      for (const signature of signatures)
        if (await webCrypto.subtle.verify('HMAC', key, fromHex(signature), signedBytes(timestamp, body)))
          return withEventId(parse(body))
  throw new WebhookVerificationError(
    'SIGNATURE_MISMATCH',
    'No signature matches. Use `secret` (not `standardSecret`, whsec_…), and pass the raw body as it arrived.',
  )
}

const isString = (value: unknown): value is string => typeof value === 'string'

/**
 * Returns the headers of a genuine webhook with this body, for tests of your webhook handler. They include those of
 * Standard Webhooks.
 */
export async function signWebhook(webhook: {
  body: string | Uint8Array
  secret: string
  /** In Unix seconds. Defaults to the current time. */
  timestamp?: number | undefined
  /** The word in the names of the service's webhook headers, as in `X-<brand>-Signature`. Defaults to `Webhook`. */
  brand?: string | undefined
}): Promise<Record<string, string>> {
  const { body, secret, timestamp = Math.floor(Date.now() / 1000), brand = 'Webhook' } = webhook
  const { id, event } = parse(body)
  const digest = await hmacOf(encoder.encode(secret), signedBytes(String(timestamp), body))
  // Standard Webhooks signs with the bytes of the secret. A secret of the service is in hex.
  const standard = /^([0-9a-f]{2})+$/.test(secret)
    ? await hmacOf(fromHex(secret), signedBytes(`${id}.${timestamp}`, body))
    : null
  return {
    'Content-Type': 'application/json',
    [`X-${brand}-Timestamp`]: String(timestamp),
    [`X-${brand}-Signature`]: `sha256=${toHex(digest)}`,
    [`X-${brand}-Event`]: event,
    [`X-${brand}-Event-Id`]: eventIdOf({ id }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(standard === null ? {} : { 'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}` }),
  }
}

/**
 * Returns the id of the event, both from the body of a webhook and from the event log. Store each event under this id,
 * and you recognise it however it arrives. The id of a delivery encodes it in its first half, so it is signed.
 */
export function eventIdOf({ id }: { id: string }): string {
  if (!/^[\w-]{32}$/.test(id)) return id
  const half = atob(id.slice(0, 16).replaceAll('-', '+').replaceAll('_', '/'))
  return toHex(Array.from(half, (character) => character.charCodeAt(0)))
}

function withEventId(event: WebhookEvent): WebhookEvent & { eventId: string } {
  const eventId = eventIdOf({ id: String(Object(event).id) })
  if (/^[0-9a-f]{24}$/.test(eventId)) return { ...event, eventId }
  throw new WebhookVerificationError(
    'INVALID_JSON',
    'The body is not an event: its `id` is not one of the service.',
  )
}

const toHex = (bytes: number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The timestamp and the signatures under each brand in the header names. A proxy may add headers that look alike. */
function signingsOf(headers: WebhookHeaders) {
  const values = new Map<string, string[]>()
  const add = (value: string | string[] | undefined, name: string): void => {
    if (value !== undefined)
      values.set(name.toLowerCase(), [...(values.get(name.toLowerCase()) ?? []), ...[value].flat()])
  }
  if (headers instanceof Headers) headers.forEach(add)
  else for (const [name, value] of Object.entries(headers)) add(value, name)
  const brands = [...values.keys()].flatMap((name) => /^x-(.+)-timestamp$/.exec(name)?.[1] ?? [])
  const valueOf = (name: string): string => (values.get(name) ?? []).join(',')
  return brands.map((brand) => ({
    timestamp: valueOf(`x-${brand}-timestamp`),
    signatures: `${valueOf(`x-${brand}-signature`)},${valueOf(`x-${brand}-signature-previous`)}`
      .split(',')
      .flatMap((each) => /^sha256=([0-9a-f]{64})$/.exec(each.trim())?.[1] ?? []),
  }))
}

function parse(body: string | Uint8Array): WebhookEvent {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('INVALID_JSON', 'The body is not JSON.')
  }
}

const encoder = new TextEncoder()

function signedBytes(prefix: string, body: string | Uint8Array) {
  const start = encoder.encode(`${prefix}.`)
  const rest = typeof body === 'string' ? encoder.encode(body) : body
  const bytes = new Uint8Array(start.length + rest.length)
  bytes.set(start)
  bytes.set(rest, start.length)
  return bytes
}

const hmacKey = (key: ReturnType<typeof fromHex>) =>
  webCrypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

async function hmacOf(key: ReturnType<typeof fromHex>, signed: ReturnType<typeof signedBytes>) {
  return Array.from(new Uint8Array(await webCrypto.subtle.sign('HMAC', await hmacKey(key), signed)))
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
