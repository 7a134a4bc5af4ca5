import type { ErrorCode } from '../../errors.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'

/** A JSON Schema from schemas/. */
export type Schema = object

/** The sections of the OpenAPI document. */
export type Tag = 'Payment intents' | 'Webhook endpoints' | 'Webhook deliveries' | 'Products' | 'Orders'

/**
 * The OpenAPI text for an operation, in addition to its route. `query` and `body` are the schemas that validate a
 * request. An operation without `query` has no query parameters; an operation without `body` ignores the body.
 */
export interface About {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** The schema of each path parameter. */
  params: Record<string, Schema>
  query: AnnotatedSchema | null
  body: Schema | null
  /** The schema of `data`, or of the file for a download. */
  response: Schema
  /**
   * The operation's error codes, besides those that every operation returns. The codes under `errorCodes` in the `body`
   * schema are included automatically.
   */
  errors: readonly ErrorCode[]
  example: Example
}

/** One request and its response. A test sends the request and compares the response. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** `data` as JSON, or the text of a download. */
  response: unknown
}
