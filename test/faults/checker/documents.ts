/**
 * The documents of the service as they stand in the dump, as far as the promises look at them. Restated here from the documentation and from what is stored,
 * so that nothing of the service's own code judges the service. Instants are milliseconds of its clock.
 */
export type Status = 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'

export interface Commission {
  providerTtc: number
  payerTtc: number
  tof: number
  tte: number
  totalRevenue: number
}

export interface IntentDocument {
  _id: string
  businessId: string
  sandbox: boolean
  referenceNumber: string
  shortCode: string
  code: string
  codeKey?: string
  codeExpiresAt: number
  codeReusableAt: number
  amountType: 'FIXED' | 'OPEN'
  amount: number | null
  label: string | null
  metadata: { key: string; value: string }[]
  status: Status
  cancellationReason: string | null
  payment: {
    amountPaid: number
    paidAt: number
    payerPhone: string
    commission: Commission
    wallet: string
    key: string
  } | null
  hold: { id: string; validUntil: number } | null
  failure: { code: string; retryable: boolean } | null
  attempts: { kind: 'payment' | 'refund'; id: string; at: number; amount: number; outcome: string }[]
  refunds: {
    id: string
    amount: number
    reason: string | null
    status: string
    createdAt: number
    /** Until when its order may be carried out. */
    validUntil: number
  }[]
  refundsCommitted: number
  expiresAt: number
  createdAt: number
  updatedAt: number
  outbox: { id: string; event: string }[]
  cleanedAt?: number
}

/** What an event stores of its intent or order, as it was then. */
export interface Facts {
  status: string
  amount?: number
  paidAt?: number
  payerPhone?: string
  commission?: Commission
  failure?: { code: string; retryable: boolean }
  refund?: { id: string; amount: number; reason?: string }
}

export interface DeliveryDocument {
  _id: string
  /** Not stored: a part of `_id` (folder/bodies.ts). */
  eventId: string
  endpointId: string
  businessId: string
  sandbox: boolean
  event: string
  eventAt: number
  referenceNumber: string
  url: string
  facts: Facts
  /** Not stored: the bytes that every attempt must have, composed from the facts (folder/bodies.ts). */
  body: string
  status: 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'
  attempts: number
  redrives: number
  nextAttemptAt: number | null
  leaseToken: string | null
  attemptLog: { at: number; url: string; durationMs: number; status: number | null; stage: string | null }[]
  createdAt: number
  deliveredAt: number | null
  unaudited: unknown[]
}

export interface EndpointDocument {
  _id: string
  businessId: string
  url: string
  events: string[]
  active: boolean
  previousSecrets: unknown[]
  deletedAt: number | null
  createdAt: number
}

export interface WalletDocument {
  _id: string
  phone: string
  businessId: string | null
  balance: number
  current: unknown
}

export interface MovementDocument {
  _id: string
  accountId: string | null
  kind: 'payment' | 'refund'
  amount: number | null
  paymentKey?: string
  result: { outcome: string }
}

export interface ProductDocument {
  _id: string
  businessId: string
  sandbox: boolean
  name: string
  /** Its own id, but of those that came in a file. */
  handle: string
  variants: { _id: string; label: string; price: number; stock: number }[]
  reservations: unknown[]
  deletedAt: number | null
  listed: boolean
  createdAt: number
}

export interface OrderDocument {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'PLACED' | 'RELEASED'
  number: string
  items: OrderLine[]
  total: number
  customer: { name: string | null } | null
  createdAt: number
  outbox: unknown[]
}

export interface OrderLine {
  productId: string
  variantId: string
  name: string
  variantLabel: string
  sku: string | null
  unitPrice: number
  quantity: number
  total: number
}

export interface AuditDocument {
  _id: string
  at: number
  actor: { kind: string; name: string }
  act: string
  subject: string
}

/** Every collection by its name; one that is not there is empty. */
export interface Dump {
  intents: IntentDocument[]
  deliveries: DeliveryDocument[]
  webhookendpoints: EndpointDocument[]
  wallets: WalletDocument[]
  walletmovements: MovementDocument[]
  products: ProductDocument[]
  orders: OrderDocument[]
  auditevents: AuditDocument[]
  importplans: { _id: string; state: string }[]
  staffsessions: { _id: string; unaudited?: unknown[] }[]
}
