/** Messages are for people. Programs should check the code (SPEC 7). */
const statusLines = {
  MISSING_CREDENTIALS:
    '401 The Authorization header is missing. Send your API key as "Authorization: Bearer <key>".',
  INVALID_AUTH_HEADER:
    '401 The Authorization header is malformed. Send exactly one: "Authorization: Bearer <key>".',
  INVALID_API_KEY:
    '401 This API key does not exist or is no longer valid. Check that you sent the whole key.',
  API_ACCESS_NOT_ACTIVE: '403 This API key is suspended or revoked. Use another key.',
  LIVE_ACCESS_NOT_APPROVED:
    '403 This business is not approved for live mode yet. Use a test key until it is.',
  SECRET_KEY_REQUIRED: '403 This operation needs a secret key (sk_…), not a publishable key.',
  SCOPE_REQUIRED: '403 This API key lacks a scope that the operation needs. Use a key that has it.',
  IP_NOT_ALLOWED: "403 Your IP address is not on this API key's allowlist.",
  FEATURE_DISABLED: '503 The developer API is disabled. Contact support.',
  IDEMPOTENCY_KEY_REQUIRED:
    '400 The X-Idempotency-Key header is missing. Send a new value, such as a UUID v4, for each operation.',
  IDEMPOTENCY_KEY_INVALID: '400 X-Idempotency-Key is invalid. Send it once, with at most 255 characters.',
  IDEMPOTENCY_REQUEST_IN_PROGRESS:
    '409 The first request with this idempotency key is still running. Repeat the request later, with the same key.',
  VALIDATION_ERROR: '400 A field in the request is missing or invalid.',
  INVALID_JSON: '400 The body is not valid JSON.',
  AMOUNT_OUT_OF_RANGE: '400 The amount is outside the allowed range.',
  INVALID_AMOUNT_TYPE: '400 amountType must be FIXED or OPEN.',
  LABEL_TOO_LONG: '400 label can have at most 200 characters.',
  INVALID_METADATA:
    '400 metadata must be an object. Its keys must have 1 to 255 characters, and its values must be strings. Both must be valid Unicode without NUL.',
  METADATA_TOO_MANY_KEYS: '400 metadata can have at most 50 keys.',
  METADATA_VALUE_TOO_LONG: '400 A metadata value can have at most 500 characters.',
  INVALID_REDIRECT_URL:
    '400 A redirect URL must be an absolute https URL of at most 2048 characters, without a user name or password.',
  MERCHANT_REFERENCE_TAKEN:
    '409 Another payment intent that is PENDING, PAID or REFUNDED has this merchantReference. Use that intent, or cancel it if it is PENDING.',
  SANDBOX_ONLY: '403 This operation is only available in the sandbox. Use a test key.',
  SANDBOX_MISMATCH:
    '403 This resource belongs to the other environment. Use a test key for test data and a live key for live data.',
  INTENT_NOT_FOUND: '404 There is no payment intent with this reference number.',
  INTENT_NOT_PENDING: '400 This payment intent is not PENDING, or a customer is paying it now.',
  INTENT_CANCEL_INVALID_STATUS: '400 Only a PENDING payment intent can be cancelled.',
  INTENT_CANCEL_CONFLICT:
    '400 This payment intent is being paid, or it changed while you were cancelling it. Retrieve it to see its current status.',
  INTENT_REFUND_INVALID_STATUS:
    '400 Only a payment intent that is PAID, or REFUNDED in part, can be refunded. Retrieve it to see its current status.',
  PAYMENT_FAILED:
    '402 The payment failed. If the intent is still PENDING, the customer can pay again. If it is FAILED, create another one.',
  REFUND_FAILED: '402 The refund failed. Nothing changed. To try again, use a new idempotency key.',
  REFUND_AMOUNT_MISMATCH: '400 The refundable amount differs from expectedRefundable.',
  SHOP_NOT_FOUND: '404 This business has no shop.',
  PRODUCT_NOT_FOUND: '404 There is no product with this id.',
  VARIANT_NOT_FOUND: '404 The product has no such variant.',
  VARIANT_LABEL_AMBIGUOUS: '400 Several variants have this label. Use the _id of the variant.',
  ORDER_NOT_FOUND: '404 There is no order with this id.',
  INSUFFICIENT_STOCK: '400 There is not enough stock.',
  ENDPOINT_NOT_FOUND: '404 There is no operation with this method and path.',
  ENDPOINT_NOT_ACTIVE:
    '400 This webhook endpoint is not active. Set active to true, then send the request again with a new idempotency key.',
  DELIVERY_NOT_FOUND: '404 There is no webhook delivery with this id.',
  REPLAY_NOT_FOUND: '404 This endpoint has no replay with this id.',
  EVENT_NOT_FOUND: '404 There is no event with this id.',
  MAX_ENDPOINTS_REACHED: '400 A business can have at most 5 webhook endpoints. Delete one to create another.',
  EVENTS_NOT_PERMITTED: "403 This API key's scopes do not permit all of these events.",
  INVALID_WEBHOOK_EVENT: '400 There is no webhook event with this name.',
  INVALID_WEBHOOK_URL: '400 The webhook URL must be a public https URL.',
  PAYLOAD_TOO_LARGE: '413 The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: '415 Send the body as application/json in UTF-8, without compression.',
  HEADERS_TOO_LARGE: '431 The request line and headers are too large, or there are too many headers.',
  REQUEST_TIMEOUT: '408 The request took too long to arrive.',
  RATE_LIMITED: '429 Too many requests. Retry after the number of seconds in the Retry-After header.',
  SERVICE_UNAVAILABLE:
    '503 The service is temporarily unavailable. Repeat the request. For a write, use the same idempotency key.',
  INTERNAL_ERROR:
    '500 An unexpected error occurred in the service. Repeat the request. For a write, use the same idempotency key.',
} as const satisfies Record<string, `${number} ${string}`>

export type ErrorCode = keyof typeof statusLines

export const errorCatalogue = Object.fromEntries(
  Object.entries(statusLines).map(([code, line]) => [code, [Number(line.slice(0, 3)), line.slice(4)]]),
) as unknown as Record<ErrorCode, readonly [status: number, message: string]>

export interface FieldFault {
  param: string
  code: ErrorCode
  message: string
}

interface RefusalExtras {
  param?: string
  details?: Record<string, unknown> | readonly unknown[]
  message?: string
  retryAfterSeconds?: number
  headers?: Record<string, string>
  /** True if the request is known to have written nothing. */
  changedNothing?: true
}

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  readonly extras: RefusalExtras

  constructor(code: ErrorCode, extras: RefusalExtras) {
    const [statusCode, message] = errorCatalogue[code]
    super(extras.message ?? message)
    this.name = 'Refusal'
    this.code = code
    this.statusCode = statusCode
    this.extras = extras
  }
}

export const refuse = (code: ErrorCode, extras?: RefusalExtras): Refusal => new Refusal(code, extras ?? {})

/** MongoDB may have timed out, so a write may have taken effect. */
export const unavailable = (): Refusal => refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2 })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE'

/** After `deadlineAt`, the client may have given up. */
export function refuseIfLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt)
    throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, changedNothing: true })
}
