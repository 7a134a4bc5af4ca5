/**
 * What a run leaves behind, one folder per round, and all that the checker reads: what was asked of the service and what it answered, what
 * receivers got, what was done to it, and what stands in MongoDB when all is quiet. Of the service's own words there are the dump and the logs
 * alone. Lines are JSON, one per record; instants are milliseconds of the machine's clock unless a field says otherwise.
 */
export const files = {
  setting: 'setting.json',
  calls: 'calls.ndjson',
  arrivals: 'arrivals.ndjson',
  provider: 'provider.ndjson',
  faults: 'faults.ndjson',
  /** Each process that ended, and nobody had ended it. */
  ends: 'ends.ndjson',
  /** One file of extended JSON (relaxed: false) per collection: `dump/<collection>.ndjson`. */
  dump: 'dump',
  /** What the processes logged: `log/<process>.log`. */
  log: 'log',
  /** What the checker said of all this: a list of violations. */
  violations: 'violations.json',
} as const

/** What there was before the traffic began, and the settings under which the service ran. Written before the traffic, and again at the end. */
export interface Setting {
  seed: number
  /** When traffic began, when the last fault was healed, and when all was quiet; `quietAt` is null if it never became so. */
  beganAt: number
  healedAt: number
  quietAt: number | null
  /** What was still under way when nobody waited any longer, each in a sentence. */
  left: string[]
  /** What kept the round from being carried out as it was meant, each in a sentence. */
  brokenOff: string[]
  settings: {
    intentLifetimeSeconds: number
    codeLifetimeSeconds: number
    /** The seven waits between attempts. */
    retrySeconds: number[]
    webhookTimeoutSeconds: number
    sandboxRetentionDays: number
  }
  businesses: {
    id: string
    name: string
    /** Each stands in every label, name, reason and metadata that this business makes in that environment, and nowhere else. */
    markers: { test: string; live: string }
    keys: { id: string; mode: 'test' | 'live'; kind: 'secret' | 'publishable'; secret: string }[]
  }[]
  /** Of the sandbox; all businesses share them. */
  wallets: { phone: string; pin: string; balance: number }[]
  /** Of the provider of live payments. */
  providerWallets: { phone: string; pin: string; balance: number }[]
  staff: { name: string; role: 'support' | 'viewer'; password: string }[]
  /** Of the shops, by product id and variant id. */
  stock: { business: string; sandbox: boolean; product: string; variant: string; quantity: number }[]
  /** How long the traffic's clients wait for an answer. */
  clientPatienceMs: number
}

/** What somebody asks of the service; `overreach`: what the role of a viewer does not allow. */
export type What =
  | 'create'
  | 'read'
  | 'list'
  | 'cancel'
  | 'refund'
  | 'simulate'
  | 'pay.page'
  | 'pay.confirm'
  | 'pay.code'
  | 'pay.status'
  | 'endpoint.create'
  | 'endpoint.update'
  | 'endpoint.delete'
  | 'endpoint.rotate'
  | 'endpoint.test'
  | 'endpoint.list'
  | 'delivery.list'
  | 'delivery.read'
  | 'delivery.retry'
  | 'product.create'
  | 'product.update'
  | 'product.delete'
  | 'product.list'
  | 'product.read'
  | 'product.export'
  | 'import'
  | 'stock'
  | 'order'
  | 'order.list'
  | 'order.read'
  | 'support.sign-in'
  | 'support.page'
  | 'requeue'
  | 'requeue.all'
  | 'overreach'

/** One request to the service, with its answer if there was one. A retry is a call of its own. */
export interface Call {
  call: number
  began: number
  ended: number
  /** By how much the clock of the service was ahead when it began, and when it ended. */
  clockAheadMs: [number, number]
  /** Who asks: `merchant`, `customer`, `support`, `stranger` (a merchant after another's things), `auditor` (reads when all is quiet). */
  actor: string
  /** All tries of one wish have the same number; `attempt` counts them from 1. */
  operation: number
  attempt: number
  /** After so long the client gave up: some do early, with nothing wrong, and the service goes on with what they asked for. */
  timeoutMs: number
  /** How long its connection had been open with nothing said on it yet when it was sent; null where it was not the first on it, or was not sent. */
  silentMs: number | null
  /** Of the process that was asked. */
  origin: string
  what: What
  /** Of the key it bears; null of a customer's and of support's. */
  business: string | null
  /** The key's id, by which idempotency keys are told apart; null where there is none. */
  keyId: string | null
  sandbox: boolean | null
  method: string
  path: string
  idempotencyKey: string | null
  body: unknown
  /** The refusals that it may get by what the asker knows to be wrong with it, whatever else there is; of a good request none. */
  expects: readonly string[]
  /** null: nothing came, or not all of it; then nobody knows what became of it. */
  status: number | null
  headers: Record<string, string>
  /** Parsed where it is JSON; of a page a `PageAnswer`; else the text. */
  answer: unknown
  /** SHA-256 of its bytes, null where there is none; older evidence does not have it. */
  answerHash?: string | null
}

/** What a page said: its words without the marks, and of a payment's page how it stands (`pending`, `waiting`, `paid`, …). */
export interface PageAnswer {
  text: string
  state: string | null
  location: string | null
}

/** One POST at a receiver. */
export interface Arrival {
  at: number
  clockAheadMs: number
  /** The path it came to, which names the endpoint: `/hook/<n>`. */
  path: string
  headers: Record<string, string>
  body: string
  /**
   * What the receiver did: a whole answer with this status, or how it failed. `slow`: a 200 that came too late to count; `hung`: not a byte
   * was answered; `unread`: an answer had begun, and the service left before its end.
   */
  did: number | 'hung' | 'reset' | 'cut' | 'garbage' | 'slow' | 'unread'
  /** The status of the answer that was `unread`; else null. */
  begun: number | null
  /** When the receiver had done it (its answer was handed over, the connection was cut or given up). */
  done: number
}

/** One request at the wallet provider of live payments. */
export interface ProviderRequest {
  at: number
  clockAheadMs: number
  kind: 'payment' | 'refund'
  /** Whether it is an order, or asks what became of one. */
  asks: 'order' | 'outcome'
  key: string
  /** As the order says; null in a question. Of a refund `reference` is null and `paymentKey` what it gives back of. */
  amount: number | null
  businessId: string | null
  reference: string | null
  paymentKey: string | null
  phone: string | null
  /** What the books say of the key after this request: `succeeded`, `declined`, `failed`, `refused`, `expired`, `unknown`. */
  status: string
  /** Whether it was this request that decided it: money moves once for each key. */
  decided: boolean
  /** Whether the answer was sent whole, and how it was kept back otherwise. */
  did: number | 'hung' | 'reset' | 'slow'
}

/** One thing that the nemesis did. */
export interface Fault {
  began: number
  /** When it was healed; the same as `began` of what lasts no time. */
  ended: number
  what: string
  target: string
}

/** A process that ended by itself, or did not end as it was told to. */
export interface UnwantedEnd {
  at: number
  process: string
  /** How, in a sentence. */
  says: string
}

/** One promise that did not hold. */
export interface Violation {
  /** The promise, by its name in the checker: `create.exists`, `event.exact`, `wallet.balances`. */
  promise: string
  /** The thing it did not hold for: a reference number, an event id, an endpoint. */
  of: string
  /** What was expected and what is there, in one sentence. */
  says: string
}
