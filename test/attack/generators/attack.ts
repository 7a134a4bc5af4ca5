/** The page that a browser names: of the service, of another site, without origin, of a sibling domain, or none. */
export const sites = ['own', 'foreign', 'hidden', 'sibling', 'silent'] as const
export type Site = (typeof sites)[number]

/** The expected response: a refusal, that to a request without a key, or that to the key in the bytes. */
export type Expected = 'refused' | 'keyless' | 'keyed'

/** Bytes, and the expected response to each complete request in them. */
export interface Raw {
  text: string
  expected: readonly Expected[]
}

/** A generated request. It follows from the seed. References (`~own.intent.3~`) are replaced when it is sent. */
export interface Attack {
  /** The name of its target, or `bytes` for raw bytes. */
  target: string
  method: string
  /** Path and query in the request line. */
  line: string
  headers: readonly (readonly [name: string, value: string])[]
  idempotencyKey: string | null
  contentType: string | null
  /** Null: no body, and no length. */
  body: string | Buffer | null
  isChunked: boolean
  /** Replaces all of the above, on its own connection. */
  raw: Raw | null
  /** Any number selects an actor. So does `staff` for staff. */
  actor: number
  staff: number
  /** Selects the Authorization header of an actor with a malformed key. */
  badAuthorization: number
  /** Below /admin: the page that the browser names. */
  site: Site
  /** The last two bytes of the client address. */
  from: readonly [number, number]
}

/** Requests that belong together: first `oneAtATime` in order, then `atOnce` concurrently. */
export interface Scene {
  oneAtATime: readonly Attack[]
  atOnce: readonly Attack[]
}
