/** A page of ours, one of another site, one that hides where it is from, one of another name of our domain, or no browser at all. */
export const sites = ['own', 'foreign', 'hidden', 'sibling', 'silent'] as const
export type Site = (typeof sites)[number]

/** What a request must get, whoever sends it: a refusal, what anybody gets without a key, or what the key gets that stands in its bytes. */
export type Due = 'refused' | 'keyless' | 'keyed'

/** Bytes as they stand on the wire, and what each request in them must get; nothing where they do not come to the end of one. */
export interface Raw {
  text: string
  dues: readonly Due[]
}

/** One request as it was made up: everything that the seed decides. What it refers to (`~own.intent.3~`) is put in when it is sent. */
export interface Attack {
  /** The name of its target; `bytes` of what is no request. */
  target: string
  method: string
  /** Path and query, as they stand in the request line. */
  line: string
  headers: readonly (readonly [name: string, value: string])[]
  /** Its idempotency key; null for none. */
  idempotencyKey: string | null
  contentType: string | null
  /** Null: none at all, not even its length. */
  body: string | Buffer | null
  isChunked: boolean
  /** Stands in the place of all of the above, on a connection of its own. */
  raw: Raw | null
  /** Any numbers: each chooses among those that there are. */
  actor: number
  staff: number
  /** How Authorization is written by an actor whose key shall be malformed. */
  badAuthorization: number
  /** Below /admin, what its browser says of the page that it was made by. */
  site: Site
  /** The two last parts of the address that it comes from. */
  from: readonly [number, number]
}

/** Requests that belong together: the first ones in turn, the others all at the same time. */
export interface Scene {
  oneAtATime: readonly Attack[]
  atOnce: readonly Attack[]
}
