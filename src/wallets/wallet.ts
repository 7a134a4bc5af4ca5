import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'

/**
 * The system that keeps the customers' money: the sandbox, none (a simulation), or a provider of live mode. A payment
 * stores the name, because only this provider can report its outcome or refund it.
 */
export type WalletName = 'sandbox' | 'simulation' | `live:${string}`

/**
 * Why a wallet refused a payment in a way that the customer can correct. The intent does not change and no event is
 * recorded. A phone without a wallet counts as a wrong PIN.
 */
export type RefusalReason = 'wrong_pin' | 'wallet_locked'

/**
 * The outcome of a payment or a refund.
 * - `done`: the money moved.
 * - `refused`, `declined`, `failed`: no money moved, and none ever will under this key.
 * - `not-executed`: the wallet never carried out the order, and never will.
 * - `unknown`: not known yet. Call `status` later.
 */
export type WalletOutcome =
  | { outcome: 'done' }
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: DeclineReason }
  | { outcome: 'failed'; reason: FailureReason }
  | { outcome: 'not-executed' }
  | { outcome: 'unknown'; why: string }

export type KnownOutcome = Exclude<WalletOutcome, { outcome: 'unknown' }>

/** An order to a wallet. */
interface Order {
  /** The merchant whose payment or refund this is. */
  businessId: string
  /** The idempotency key. The same key never moves money twice. */
  key: string
  /** Centimes. */
  amount: number
  /** A wallet that receives the order after this instant must not carry it out. */
  validUntil: Date
}

export interface PaymentOrder extends Order {
  /** The payment's reference, for the customer's statement. */
  referenceNumber: string
  /** Digits only (phone.ts). */
  phone: string
  pin: string
}

export interface RefundOrder extends Order {
  /** The key of the payment whose money goes back. */
  paymentKey: string
}

export interface StatusQuery {
  kind: 'payment' | 'refund'
  businessId: string
  key: string
  /** Centimes, as in the order. A response with another amount is not trusted. */
  amount: number
  validUntil: Date
}

/**
 * A wallet as the service sees it. Every response of a wallet is a value. An error that is thrown is an unknown outcome
 * (query.ts).
 */
export interface Wallet {
  name: WalletName
  /** Takes the amount from the customer, once. */
  authorise(order: PaymentOrder): Promise<WalletOutcome>
  /** Returns the amount of a payment, or a part of it, to the payer. */
  refund(order: RefundOrder): Promise<WalletOutcome>
  /**
   * Resolves to the outcome of the order with this key. `not-executed` is a promise: even an order that arrives later
   * is never carried out.
   */
  status(query: StatusQuery): Promise<WalletOutcome>
}
