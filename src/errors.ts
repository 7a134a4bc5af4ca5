/**
 * The catalogue: every code this service answers with, its HTTP status and its sentence
 * (SPEC 7 and docs/errors.md; a test holds the two equal). Programs read the code, people the sentence.
 */
export const catalogue = {
  MISSING_CREDENTIALS: [401, 'Send your API key in the Authorization header: Bearer <key>.'],
  INVALID_AUTH_HEADER: [
    401,
    'The Authorization header must be sent once, as "Bearer", one space and the key.',
  ],
  INVALID_API_KEY: [401, 'This API key does not exist or is no longer valid.'],
  API_ACCESS_NOT_ACTIVE: [403, 'This API key is suspended or revoked.'],
  LIVE_ACCESS_NOT_APPROVED: [403, 'This business is not approved for live mode yet. Test keys work.'],
  SECRET_KEY_REQUIRED: [403, 'This operation needs a secret key (sk_…).'],
  SCOPE_REQUIRED: [403, 'This API key lacks a scope that the operation needs.'],
  IP_NOT_ALLOWED: [403, 'This API key may not be used from this address.'],
  FEATURE_DISABLED: [503, 'The developer API is switched off.'],
  IDEMPOTENCY_KEY_REQUIRED: [400, 'Every write needs an X-Idempotency-Key header. A UUID v4 is a good one.'],
  IDEMPOTENCY_KEY_INVALID: [400, 'X-Idempotency-Key must be sent once and be at most 255 characters long.'],
  IDEMPOTENCY_REQUEST_IN_PROGRESS: [409, 'The first request with this idempotency key is still running.'],
  VALIDATION_ERROR: [400, 'The request has a field that is missing or not valid.'],
  INVALID_JSON: [400, 'The body is not valid JSON.'],
  AMOUNT_OUT_OF_RANGE: [400, 'The amount is outside the allowed limits.'],
  INVALID_AMOUNT_TYPE: [400, 'amountType must be FIXED or OPEN.'],
  LABEL_TOO_LONG: [400, 'label may have at most 200 characters.'],
  INVALID_METADATA: [400, 'metadata must be an object of string values under keys of 1 to 64 characters.'],
  METADATA_TOO_MANY_KEYS: [400, 'metadata may have at most 50 keys.'],
  METADATA_VALUE_TOO_LONG: [400, 'A metadata value may have at most 500 characters.'],
  INVALID_REDIRECT_URL: [400, 'A redirect URL must be an absolute https URL of at most 2048 characters.'],
  SANDBOX_ONLY: [403, 'This operation exists for test keys only.'],
  SANDBOX_MISMATCH: [
    403,
    'This resource belongs to the other environment: test keys see test data, live keys live data.',
  ],
  INTENT_NOT_FOUND: [404, 'There is no payment intent with this reference.'],
  INTENT_NOT_PENDING: [400, 'The payment intent is not PENDING.'],
  INTENT_CANCEL_INVALID_STATUS: [400, 'Only a PENDING payment intent can be cancelled.'],
  INTENT_CANCEL_CONFLICT: [400, 'The payment intent changed while it was being cancelled. Read it again.'],
  INTENT_REFUND_INVALID_STATUS: [400, 'A payment intent in this status cannot be refunded.'],
  PAYMENT_FAILED: [402, 'The payment failed.'],
  REFUND_FAILED: [402, 'The refund failed. Nothing was changed.'],
  REFUND_AMOUNT_MISMATCH: [400, 'What can be refunded is not what the request expected.'],
  SHOP_NOT_FOUND: [404, 'This business has no shop.'],
  PRODUCT_NOT_FOUND: [404, 'There is no product with this id.'],
  VARIANT_NOT_FOUND: [404, 'The product has no such variant.'],
  VARIANT_LABEL_AMBIGUOUS: [400, 'Several variants carry this label. Use the _id of the variant.'],
  ORDER_NOT_FOUND: [404, 'There is no order with this id.'],
  INSUFFICIENT_STOCK: [400, 'There is not enough stock.'],
  ENDPOINT_NOT_FOUND: [404, 'There is nothing at this address.'],
  DELIVERY_NOT_FOUND: [404, 'There is no webhook delivery with this id.'],
  MAX_ENDPOINTS_REACHED: [400, 'A business may have at most 5 webhook endpoints.'],
  EVENTS_NOT_PERMITTED: [403, 'The scopes of this API key do not allow one of the events.'],
  INVALID_WEBHOOK_EVENT: [400, 'This event does not exist.'],
  INVALID_WEBHOOK_URL: [400, 'The webhook URL must be a public https URL.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json in UTF-8, not compressed.'],
  HEADERS_TOO_LARGE: [431, 'The request line or the headers are too large or too many.'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  RATE_LIMITED: [429, 'Too many requests. Slow down.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot answer right now. Try again with the same idempotency key.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>

export type ErrorCode = keyof typeof catalogue

/** One fault among several of a request: the field, its code and a sentence about it. */
export interface FieldFault {
  param: string
  code: ErrorCode
  message: string
}

/** What may accompany a code: the field at fault, more about it, and when to come back. */
export interface RefusalExtras {
  param?: string
  details?: Record<string, unknown> | readonly unknown[]
  message?: string
  retryAfterSeconds?: number
  headers?: Record<string, string>
}

/** The one error the domain throws on purpose. Anything else that is thrown is a bug or a broken dependency. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  readonly extras: RefusalExtras

  constructor(code: ErrorCode, extras: RefusalExtras) {
    const [statusCode, sentence] = catalogue[code]
    super(extras.message ?? sentence)
    this.name = 'Refusal'
    this.code = code
    this.statusCode = statusCode
    this.extras = extras
  }
}

/** Makes the error that becomes the enveloped answer for `code`. */
export const refuse = (code: ErrorCode, extras?: RefusalExtras): Refusal => new Refusal(code, extras ?? {})

/** Says no for now: MongoDB did not answer in time, so that the outcome of a write under way is unknown; or others were quicker again and again, and nothing was done. */
export const unavailable = (): Refusal => refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2 })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE'
