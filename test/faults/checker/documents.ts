import type { LedgerLink } from '../../support/ledger-chain.ts'

/**
 * The fields of stored documents that the promises use. Declared again here, so that the product does not check itself.
 * Instants are milliseconds of the service's clock.
 */
export type Status = 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'

type Owned = { _id: string; businessId: string; sandbox: boolean; createdAt: number }

/** The merchant's and the payer's fee, or what a refund gives back of them. */
export type Fees = Record<'providerTtc' | 'payerTtc', number>

export interface IntentDocument extends Owned {
  referenceNumber: string
  merchantReference: string | null
  shortCode: string
  code: string
  codeExpiresAt: number
  codeReusableAt: number
  amountType: 'FIXED' | 'OPEN'
  amount: number | null
  metadata: { key: string; value: string }[]
  status: Status
  cancellationReason: string | null
  payment: { amountPaid: number; paidAt: number; wallet: string; key: string; commission: Fees } | null
  hold: { id: string; validUntil: number } | null
  failure: { code: string; retryable: boolean } | null
  attempts: { kind: 'payment' | 'refund'; id: string; at: number; amount: number; outcome: string }[]
  refunds: {
    id: string
    amount: number
    returnedFees: Fees
    status: string
    createdAt: number
    validUntil: number
  }[]
  refundsCommitted: number
  expiresAt: number
  updatedAt: number
  outbox: { id: string; event: string }[]
  cleanedAt?: number
}

export interface DeliveryDocument extends Owned {
  /** Not stored: the first half of `_id` (read-folder.ts). */
  eventId: string
  endpointId: string
  event: string
  referenceNumber: string
  /** The facts of the event. */
  facts: {
    status: Status | 'PLACED'
    amount?: number
    commission?: Fees
    refund?: { id: string; amount: number; returnedFees: Fees }
  }
  status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
  attempts: number
  /** How often the delivery was re-queued. */
  requeues: number
  nextAttemptAt: number | null
  leaseToken: string | null
  attemptLog: { at: number; durationMs: number; status: number | null }[]
  deliveredAt: number | null
  unaudited: unknown[]
  /** The ids of the re-queues and replays that changed the delivery. */
  effects: string[]
  /** The replay that inserted the delivery, if one did. */
  insertedBy?: string
}

/** A replay. `through`: the last number of the log when it began. */
export interface ReplayDocument extends Owned {
  endpointId: string
  status: 'RUNNING' | 'DONE' | 'CANCELLED'
  cancellationReason: string | null
  from: number
  to: number
  events: string[]
  through: number
  onlyUndelivered: boolean
  total: number
  requeued: number
  created: number
  skipped: number
  finishedAt: number | null
}

/** An event in the event log. */
export interface EventDocument extends Owned, Pick<DeliveryDocument, 'event' | 'referenceNumber' | 'facts'> {
  number: number
  loggedAt: number
}

export interface EndpointDocument {
  _id: string
  businessId: string
  url: string
  events: string[]
  active: boolean
  deletedAt: number | null
  createdAt: number
}

export interface ProductDocument extends Owned {
  name: string
  /** Its own id, unless it was imported. */
  handle: string
  variants: { _id: string; label: string; price: number; stock: number }[]
  reservations: unknown[]
  deletedAt: number | null
  listed: boolean
}

export interface OrderDocument extends Owned {
  status: 'PLACED' | 'RELEASED'
  number: string
  items: { productId: string; variantId: string; unitPrice: number; quantity: number; total: number }[]
  total: number
  outbox: unknown[]
}

export interface MovementDocument {
  _id: string
  accountId: string | null
  kind: 'payment' | 'refund'
  amount: number | null
  fee: number | null
  result: { outcome: string }
}

export type LedgerDocument = Pick<Owned, 'businessId' | 'sandbox'> &
  LedgerLink & { referenceNumber?: string; refundId?: string }

/** The collections that the checker reads, by name. */
export interface Dump {
  intents: IntentDocument[]
  deliveries: DeliveryDocument[]
  events: EventDocument[]
  webhookendpoints: EndpointDocument[]
  webhookreplays: ReplayDocument[]
  wallets: { _id: string; phone: string; businessId: string | null; balance: number; current: unknown }[]
  walletmovements: MovementDocument[]
  ledgerentries: LedgerDocument[]
  products: ProductDocument[]
  orders: OrderDocument[]
  auditevents: {
    _id: string
    at: number
    actor: { kind: string; name: string }
    act: string
    subject: string
    after?: { replayId?: string } | null
  }[]
  importplans: { _id: string; state: string }[]
  staffsessions: { _id: string; unaudited?: unknown[] }[]
}
