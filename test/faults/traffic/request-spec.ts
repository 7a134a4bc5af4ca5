import type { Call } from '../evidence/evidence.ts'
import type { Key } from './world.ts'

export type Body = { json: object } | { csv: string } | { form: { [name: string]: string } } | null

/** A request to the service. Each time it is sent is a separate call. */
export interface RequestSpec
  extends Pick<Call, 'operation' | 'actor' | 'what' | 'path' | 'idempotencyKey' | 'expects'> {
  /** Null for customers and support. */
  key: Key | null
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body: Body
  /** Another body to send under the same idempotency key after the response, if any. */
  otherBody: Body
  headers: { [name: string]: string }
}

/**
 * Whether a response is final. No response, 5xx, 429 (except for a replay) and the 409 of a running request are not.
 */
export const isFinal = ({ status, what, response }: Call): boolean =>
  status !== null &&
  status < 500 &&
  (status !== 429 || what === 'replay') &&
  (status !== 409 || (response as Refused).error?.code === 'MERCHANT_REFERENCE_TAKEN')

type Refused = { error?: { code?: string } }

export const isGood = ({ status }: Call): boolean => status !== null && status < 300
/** The `data` of a successful response. */
export const dataOf = <Data>({ response }: Call): Data => (response as { data: Data }).data
