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
  raw: string | null
  /** Any numbers: each chooses among those that there are. */
  actor: number
  staff: number
  /** How Authorization is written by an actor whose key shall be malformed. */
  badAuthorization: number
  /** The two last parts of the address that it comes from. */
  from: readonly [number, number]
}

/** Requests that belong together: the first ones in turn, the others all at the same time. */
export interface Scene {
  inTurn: readonly Attack[]
  atOnce: readonly Attack[]
}
