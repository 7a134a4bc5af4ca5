import type { ErrorCode } from '../../errors.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'

/** A JSON Schema of schemas/. */
export type Schema = object

/** The sections of the OpenAPI description. */
export type Tag = 'Payment intents' | 'Webhook endpoints' | 'Webhook deliveries' | 'Products' | 'Orders'

/**
 * What the OpenAPI description says of an operation, beyond its route. `query` and `body` are the schemas that a request must satisfy. Without
 * a `query` the operation takes no parameters; without a `body` it ignores one.
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
  answer: Schema
  /** The error codes that only some operations return. Codes that `body` names need not be repeated here. */
  errors: readonly ErrorCode[]
  example: Example
}

/** One request and its response. A test sends it and compares the response. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** `data` as JSON, or the text of a download. */
  answer: unknown
}
