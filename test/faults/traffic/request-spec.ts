import type { Call, What } from '../evidence/evidence.ts'
import type { Key } from './world.ts'

export type Body = { json: object } | { csv: string } | { form: { [name: string]: string } } | null

/** Something that somebody wants of the service; each try of it is a call. */
export interface RequestSpec {
  operation: number
  actor: 'merchant' | 'customer' | 'support' | 'stranger' | 'auditor'
  what: What
  /** Null of customers and of support. */
  key: Key | null
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Of writes by a key. */
  idempotencyKey: string | null
  body: Body
  /** Another body to send under the same idempotency key once it is answered; null: there is none. */
  otherBody: Body
  /** As the `expects` of a call. */
  expects: readonly string[]
  headers: { [name: string]: string }
}

/** Whether an answer is the last word: nothing at all, 5xx, 429 and the 409 of a request under way are not. */
export const isFinal = ({ status }: Call): boolean =>
  status !== null && status < 500 && status !== 429 && status !== 409

export const isGood = ({ status }: Call): boolean => status !== null && status < 300
/** The `data` of a good answer. */
export const dataOf = <Data>({ response }: Call): Data => (response as { data: Data }).data
