import type { AnnotatedSchema } from '../../input/field-faults.ts'
import { pageOf } from '../../lists/pagination.ts'
import type { ErrorCode } from '../../platform/errors.ts'

/** The sections into which the OpenAPI document groups operations, with their descriptions. */
export const tags = {
  'Payment intents': 'One intent stands for one payment: create, retrieve, cancel and refund it.',
  Balance: 'What the service owes you: payments, minus refunds, fees and payouts, with a statement per day.',
  Exports: 'Files with the payments, refunds or ledger entries of a period.',
  Events:
    'Everything that happened to your payments and orders. Read events here if you have no webhook endpoint or missed webhooks.',
  'Webhook endpoints': 'The URLs of your servers that receive events.',
  'Webhook deliveries': 'One delivery is one event for one endpoint, with all attempts to send it.',
  Products: 'The products that your shop sells, their variants and their stock.',
  Orders: 'The orders of your shop.',
}

/**
 * The part of an operation's OpenAPI description that is not derived from its route. Requests are validated against the
 * schemas `query` and `body`. Without `query`, the operation accepts no query parameters. Without `body`, it ignores
 * the body.
 */
export interface About {
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  /** The schema of each path parameter. */
  params?: Record<string, object>
  query?: AnnotatedSchema
  body?: object
  /** The schema of `data` in the response, or of the file if the operation is a download. */
  response: object
  /** The schema of the file and an example, if a download is also available as JSON lines. */
  lines?: { schema: object; example: string }
  /**
   * The error codes that are specific to the operation. Those under `errorCodes` in the `body` schema are added
   * automatically.
   */
  errors?: readonly ErrorCode[]
  example: Example
}

/** A sample request and its response. A test sends the request and compares the actual response with this one. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** The response's `data` as JSON, or the content of a downloaded file. */
  response: unknown
  /** The response as a CSV file, if the operation offers one. */
  csv?: string
}

/** Returns the only page of a list that contains one item. */
export const pageWith = (item: unknown, limit: number) => pageOf({ page: 1, limit }, [item], 1)
