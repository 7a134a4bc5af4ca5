import type { ErrorCode } from '../../errors.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'
import { pageOf } from '../../input/pagination.ts'

/** A JSON Schema from the `schemas` folder. */
export type Schema = object

/** The sections into which the OpenAPI document groups operations. */
export type Tag =
  | 'Payment intents'
  | 'Balance'
  | 'Exports'
  | 'Events'
  | 'Webhook endpoints'
  | 'Webhook deliveries'
  | 'Products'
  | 'Orders'

/**
 * The part of an operation's OpenAPI description that is not derived from its route. Requests are validated against the
 * schemas `query` and `body`. Without `query`, the operation accepts no query parameters. Without `body`, it ignores
 * the body.
 */
export interface About {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** The schema of each path parameter. */
  params?: Record<string, Schema>
  query?: AnnotatedSchema
  body?: Schema
  /** The schema of `data` in the response, or of the file if the operation is a download. */
  response: Schema
  /** The schema of the file and an example, if a download is also available as JSON lines. */
  lines?: { schema: Schema; example: string }
  /**
   * The error codes that are specific to the operation. Those under `errorCodes` in the `body` schema are added
   * automatically.
   */
  errors?: readonly ErrorCode[]
  example: Example
}

/** Adds the section to the descriptions of its operations. */
export const inSection = <Name extends string>(
  tag: Tag,
  abouts: Record<Name, Omit<About, 'tag'>>,
): Record<Name, About> =>
  Object.fromEntries(
    Object.entries<Omit<About, 'tag'>>(abouts).map(([name, about]) => [name, { ...about, tag }]),
  ) as Record<Name, About>

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
