/**
 * What a run leaves behind, one folder per round, and all that the checker reads: what was asked of the service and what it answered, what
 * receivers got, what was done to it, and what stands in MongoDB when all is quiet. Nothing in it comes from the service's own code. Lines
 * are JSON, one per record; instants are milliseconds of the machine's clock unless a field says otherwise.
 */
export const files = {
  setting: 'setting.json',
  calls: 'calls.ndjson',
  arrivals: 'arrivals.ndjson',
  provider: 'provider.ndjson',
  faults: 'faults.ndjson',
  /** One file of extended JSON (relaxed: false) per collection: `dump/<collection>.ndjson`. */
  dump: 'dump',
  /** What the processes logged: `log/<process>.log`. */
  log: 'log',
} as const

/** What there was before the traffic began, and the settings under which the service ran. */
export interface Setting {
  seed: number
  /** When traffic began, when the last fault was healed, and when all was quiet; `quietAt` is null if it never became so. */
  beganAt: number
  healedAt: number
  quietAt: number | null
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
  patienceMs: number
  /** Of the process that was asked. */
  origin: string
  /** The name of the operation it is: `create`, `read`, `list`, `cancel`, `refund`, `simulate`, `pay`, `endpoint.update`, `stock`, `order`, `requeue`, … */
  what: string
  /** Of the key it bears; null of a customer's and of support's. */
  business: string | null
  /** The key's id, by which idempotency keys are told apart; null where there is none. */
  keyId: string | null
  sandbox: boolean | null
  method: string
  path: string
  idempotencyKey: string | null
  body: unknown
  /** null: nothing came, or not all of it; then nobody knows what became of it. */
  status: number | null
  headers: Record<string, string>
  /** Parsed where it is JSON; of a page a `PageAnswer`; else the text. */
  answer: unknown
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
  /** What the receiver did: a whole answer with this status, or how it failed. `slow`: a 200 that came too late to count. */
  did: number | 'hung' | 'reset' | 'cut' | 'garbage' | 'slow'
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

/** One promise that did not hold. */
export interface Violation {
  /** The promise, by its name in the checker: `create.exists`, `event.once`, `wallet.balances`. */
  promise: string
  /** The thing it did not hold for: a reference number, an event id, an endpoint. */
  of: string
  /** What was expected and what is there, in one sentence. */
  says: string
}
