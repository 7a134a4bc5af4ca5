import type { LedgerLink } from './ledger-chain.ts'

/** Declared again here, so that the product doesn't check itself. Instants are in ms. */
export type Status = 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'
export type Owner = { businessId: string; sandbox: boolean }
type Owned = Owner & { _id: string; createdAt: number }
export type Fees = Record<'providerTtc' | 'payerTtc', number>

type Texts<Field extends string> = Record<Field, string>
type Numbers<Field extends string> = Record<Field, number>

export interface IntentDocument
  extends Owned,
    Texts<'referenceNumber' | 'shortCode' | 'code'>,
    Numbers<'codeExpiresAt' | 'codeReusableAt' | 'refundsCommitted' | 'expiresAt' | 'updatedAt'> {
  merchantReference: string | null
  amountType: 'FIXED' | 'OPEN'
  amount: number | null
  metadata: Texts<'key' | 'value'>[]
  status: Status
  cancellationReason: string | null
  payment:
    | (Numbers<'amountPaid' | 'paidAt'> & Texts<'payerPhone' | 'wallet' | 'key'> & { commission: Fees })
    | null
  hold: { id: string; validUntil: number; queryAt: number } | null
  failure: { code: string; retryable: boolean } | null
  attempts: { kind: 'payment' | 'refund'; id: string; at: number; amount: number; outcome: string }[]
  refunds: (Texts<'id' | 'status'> &
    Numbers<'amount' | 'createdAt' | 'validUntil'> &
    Partial<Numbers<'refundedAt' | 'queryAt'>> & { returnedFees: Fees; reason: string | null })[]
  feesReturned: Fees
  cancelsAt: number | null
  outbox: OutboxEvent[]
  cleanedAt?: number
  /** Absent if the API created it. */
  till?: { form?: string }
}

export interface Facts {
  status: string
  amount?: number
  paidAt?: number
  payerPhone?: string
  commission?: Fees
  refund?: { id: string; amount: number; returnedFees: Fees; reason?: string; createdAt?: number }
}

/** Not yet removed from its intent, order or endpoint by the relay. */
export type OutboxEvent = { id: string; event: string; createdAt: number; facts: Facts }

export interface DeliveryDocument
  extends Owned,
    Texts<'endpointId' | 'event' | 'referenceNumber'>,
    Numbers<'attempts' | 'requeues'>,
    Record<'deadAt' | 'nextAttemptAt' | 'deliveredAt', number | null> {
  /** Not stored: the first half of `_id` (read-folder.ts). */
  eventId: string
  facts: Facts
  status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
  leaseToken: string | null
  attemptLog: { at: number; durationMs: number; status: number | null }[]
  insertedBy?: string
  /** The last replay that re-queued the delivery, if any. */
  requeuedBy?: string
}

export interface ReplayDocument
  extends Owned,
    Numbers<'from' | 'to' | 'through' | 'total' | 'requeued' | 'created' | 'skipped'>,
    Record<'nextRunAt' | 'finishedAt', number | null> {
  endpointId: string
  status: 'RUNNING' | 'DONE' | 'CANCELLED'
  cancellationReason: string | null
  events: string[]
  onlyUndelivered: boolean
}

export interface EventDocument extends Owned, Pick<DeliveryDocument, 'event' | 'referenceNumber' | 'facts'> {
  number: number
  loggedAt: number
}

export interface EndpointDocument extends Owned {
  url: string
  events: string[]
  active: boolean
  deletedAt: number | null
  updatedAt: number
  outbox: OutboxEvent[]
}

export interface ProductDocument extends Owned {
  name: string
  /** Its own id, unless it was imported. */
  handle: string
  variants: { _id: string; label: string; price: number; stock: number }[]
  deletedAt: number | null
}

export interface OrderDocument extends Owned {
  status: 'PLACED'
  number: string
  items: { productId: string; variantId: string; unitPrice: number; quantity: number; total: number }[]
  total: number
  outbox: OutboxEvent[]
}

export interface MovementDocument {
  _id: string
  accountId: string | null
  kind: 'payment' | 'refund'
  amount: number | null
  fee: number | null
  result: { outcome: string }
  forgetAt?: number
}

export type WalletDocument = { _id: string; phone: string; businessId: string | null; balance: number }

export type LedgerDocument = Owner &
  LedgerLink & {
    referenceNumber?: string
    merchantReference?: string | null
    refundId?: string
    occurredAt?: number
    startedAt?: number
    payerPhone?: string
    commission?: Fees
    returnedFees?: Fees
    reason?: string | null
  }

export interface AuditDocument {
  _id: string
  at: number
  actor: { kind: string; name: string }
  act: string
  subject: string
  after?: { replayId?: string; balance?: number } | null
}

export interface Documents {
  intents: IntentDocument[]
  deliveries: DeliveryDocument[]
  events: EventDocument[]
  webhookendpoints: EndpointDocument[]
  webhookreplays: ReplayDocument[]
  wallets: WalletDocument[]
  walletmovements: MovementDocument[]
  ledgerentries: LedgerDocument[]
  products: ProductDocument[]
  orders: OrderDocument[]
  auditevents: AuditDocument[]
}

export const noDocuments = Object.fromEntries(
  'intents deliveries events webhookendpoints webhookreplays wallets walletmovements ledgerentries products orders auditevents'
    .split(' ')
    .map((name) => [name, []]),
) as unknown as Documents
