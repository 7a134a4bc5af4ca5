/** Which page the browser names: one of the service, of another site, without origin, of a sibling domain, or none. */
export const sites = ['own', 'foreign', 'hidden', 'sibling', 'silent'] as const
export type Site = (typeof sites)[number]

/** Refused, or treated as without a key, or as with the key in the bytes. */
export type Expected = 'refused' | 'keyless' | 'keyed'

/** Bytes, with the expected response to each complete request in them. */
export interface Raw {
  text: string
  expected: readonly Expected[]
}

export interface Attack {
  target: string
  method: string
  line: string
  headers: readonly (readonly [name: string, value: string])[]
  idempotencyKey: string | null
  contentType: string | null
  /** Null: no body, and no length. */
  body: string | Buffer | null
  isChunked: boolean
  /** Replaces all of the above, on its own connection. */
  raw: Raw | null
  /** Any number selects an actor. `staff` works the same way. */
  actor: number
  staff: number
  badAuthorization: number
  site: Site
  from: readonly [number, number]
}

/** Requests that belong together: first `oneAtATime` in order, then `atOnce` concurrently. */
export interface Scene {
  oneAtATime: readonly Attack[]
  atOnce: readonly Attack[]
}
