/**
 * What a round leaves behind, one folder each, and all that the checker reads. Lines are JSON, one per record. Instants are milliseconds of the
 * machine's clock unless a field says otherwise.
 */
export const files = {
  setting: 'setting.json',
  calls: 'calls.ndjson',
  arrivals: 'arrivals.ndjson',
  provider: 'provider.ndjson',
  faults: 'faults.ndjson',
  /** Processes that ended by themselves. */
  ends: 'ends.ndjson',
  /** Extended JSON (relaxed: false), a file for each collection. */
  dump: 'dump',
  /** `log/<process>.log` */
  log: 'log',
  violations: 'violations.json',
} as const

/** Settings of the service. `retrySeconds`: the seven waits between attempts. */
type Settings = Record<`${'intentLifetime' | 'codeLifetime' | 'webhookTimeout'}Seconds`, number> & {
  retrySeconds: number[]
  sandboxRetentionDays: number
}

/** What there was before the traffic began, and the settings of the service. */
export interface Setting {
  seed: number
  /** `quietAt` is null if the service never became quiet. */
  beganAt: number
  healedAt: number
  quietAt: number | null
  /** Work that was still open at the end, each in a sentence. */
  left: string[]
  /** Parts of the round that failed, each in a sentence. */
  brokenOff: string[]
  settings: Settings
  businesses: {
    id: string
    name: string
    /** Part of every label, name, reason and metadata that this business makes in that environment, and of no other. */
    markers: { test: string; live: string }
    keys: { id: string; mode: 'test' | 'live'; kind: 'secret' | 'publishable'; secret: string }[]
  }[]
  wallets: { phone: string; pin: string; balance: number }[]
  providerWallets: { phone: string; pin: string; balance: number }[]
  staff: { name: string; role: 'support' | 'viewer'; password: string }[]
  /** Variants whose stock is balanced. */
  stock: { business: string; sandbox: boolean; product: string; variant: string; quantity: number }[]
  clientTimeoutMs: number
}

/** What a request is for. `overreach`: an act that the role of a viewer does not allow. */
export type What =
  | 'create'
  | 'read'
  | 'list'
  | 'cancel'
  | 'refund'
  | 'simulate'
  | 'import'
  | 'stock'
  | 'overreach'
  | `pay.${'page' | 'confirm' | 'code' | 'status'}`
  | `endpoint.${'create' | 'update' | 'delete' | 'rotate' | 'test' | 'list'}`
  | `delivery.${'list' | 'read' | 'retry'}`
  | `product.${'create' | 'update' | 'delete' | 'list' | 'read' | 'export'}`
  | `order${'' | '.list' | '.read'}`
  | `support.${'sign-in' | 'page'}`
  | `requeue${'' | '.all'}`

/** One request to the service, with its response if there was one. A retry is a call of its own. */
export interface Call {
  call: number
  began: number
  ended: number
  /** How far the service's clock was ahead at the beginning and at the end. */
  clockAheadMs: [number, number]
  /** `stranger`: a merchant after another business's things. `auditor`: reads everything when all is quiet. */
  actor: 'merchant' | 'customer' | 'support' | 'stranger' | 'auditor'
  /** The calls of one operation share this number; `attempt` counts the tries of one write. */
  operation: number
  attempt: number
  /** Some clients give up early on purpose, while the service continues. */
  timeoutMs: number
  /** The origin of the process that received it. */
  origin: string
  what: What
  /** Null for customers and staff. */
  business: string | null
  /** Id of the API key, within which idempotency keys are unique. */
  keyId: string | null
  sandbox: boolean | null
  method: string
  path: string
  idempotencyKey: string | null
  body: unknown
  /** Codes with which the traffic expects it to be refused; empty for a good request. */
  expects: readonly string[]
  /** Null: no complete response, so the outcome is unknown. */
  status: number | null
  headers: Record<string, string>
  /** Parsed JSON, a `Page`, or text. */
  response: unknown
  /** SHA-256 of the response's bytes. */
  responseHash?: string | null
}

/** An HTML page: its words, and the state of a payment page (`pending`, `waiting`, `paid`, …). */
export interface Page {
  text: string
  state: string | null
  location: string | null
}

/** One POST at a merchant's endpoint. */
export interface Arrival {
  at: number
  clockAheadMs: number
  /** Names the endpoint: `/hook/<n>`. */
  path: string
  headers: Record<string, string>
  body: string
  /**
   * A complete response with this status, or how it failed. `slow`: a 200 after the timeout. `hung`: no response. `unread`: the service left
   * before the end of a response.
   */
  did: number | 'hung' | 'reset' | 'cut' | 'garbage' | 'slow' | 'unread'
  /** The status of an `unread` response. */
  begun: number | null
  done: number
}

/** One request at the wallet provider of live payments. */
export interface ProviderRequest {
  at: number
  clockAheadMs: number
  kind: 'payment' | 'refund'
  /** An order, or the question what became of one. */
  type: 'order' | 'outcome'
  key: string
  /** Null in a question. A refund has a `paymentKey` and no `reference`. */
  amount: number | null
  businessId: string | null
  reference: string | null
  paymentKey: string | null
  phone: string | null
  /** In the provider's books after this request: `succeeded`, `declined`, `failed`, `refused`, `expired`, `unknown`. */
  status: string
  /** Whether this request decided it: money moves once for each key. */
  decided: boolean
  did: number | 'hung' | 'reset' | 'slow'
}

/** One fault, from its beginning until it was healed. */
export interface Fault {
  began: number
  ended: number
  what: string
  target: string
}

/** A process that ended by itself, or not as it was told to. */
export interface UnwantedEnd {
  at: number
  process: string
  message: string
}

/** A promise that did not hold, and for what: a reference number, a delivery, a call. */
export interface Violation {
  promise: string
  subject: string
  message: string
}

/** The id of the delivery in the body of a webhook; '' if there is none. */
export const deliveryIn = (body: string): string => /^\{"id":"([\w-]+)"/.exec(body)?.[1] ?? ''
