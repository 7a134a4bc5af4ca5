import type { ErrorCode } from '../../../docs/clients/payments.ts'

/** One invalid field of a request. */
interface InvalidField {
  param: string
  code: string
  message: string
}

/**
 * The codes of errors that the client itself finds. With CONNECTION_FAILED and TIMEOUT, the client received no complete
 * response. With INVALID_RESPONSE, the response does not come from the service, but for example from a proxy.
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'INVALID_RESPONSE'

export interface PaymentsErrorFields {
  code: string
  message: string
  /** Undefined if there was no response. */
  statusCode?: number | undefined
  requestId?: string | undefined
  param?: string | undefined
  details?: unknown
  retryAfterSeconds?: number | undefined
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

  constructor(fields: PaymentsErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.name = 'PaymentsError'
    this.code = fields.code
    this.statusCode = fields.statusCode
    this.requestId = fields.requestId
    this.param = fields.param
    this.details = fields.details as PaymentsError['details']
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}
