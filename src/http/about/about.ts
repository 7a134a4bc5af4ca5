import type { ErrorCode } from '../../errors.ts'
import type { AnnotatedSchema } from '../../field-faults.ts'

/** A JSON Schema of schemas/. */
export type Schema = object

/** The parts of the description. */
export type Tag = 'Payment intents' | 'Webhook endpoints' | 'Webhook deliveries' | 'Products' | 'Orders'

/**
 * The description of an operation for programs, beyond its route. `query` and `body` are the schemas that a request must satisfy. Without a
 * `query` the operation takes no parameters; without a `body` it ignores one.
 */
export interface About {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** Of each parameter of the path. */
  params: Record<string, Schema>
  query: AnnotatedSchema | null
  body: Schema | null
  /** The schema of `data`; of a download, of the file. */
  answer: Schema
  /** The codes of the catalogue that only some operations answer with; those that `body` names need not be here. */
  errors: readonly ErrorCode[]
  example: Example
}

/** One request and its answer. A test sends it and compares. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** `data`, as it stands in JSON; of a download, its text. */
  answer: unknown
}
