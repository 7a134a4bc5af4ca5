import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'

/**
 * Who keeps the customers' money: the wallets of the sandbox, nobody at all (a simulation), or a provider of live mode, by its name: no
 * other could tell what became of it, or give it back.
 */
export type WalletName = 'sandbox' | 'simulation' | `live:${string}`

/** What the customer can mend at once: nothing happened, and nobody is told. A phone without a wallet is a wrong PIN. */
export type RefusalReason = 'wrong_pin' | 'wallet_locked'

/**
 * What became of a payment or a refund. `done`: the money moved. `refused`, `declined`, `failed`: it did not, and never will under this
 * key. `not-executed`: the order never reached the wallet, and never will. `unknown`: nobody can tell yet; ask `status`.
 */
export type WalletOutcome =
  | { outcome: 'done' }
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: DeclineReason }
  | { outcome: 'failed'; reason: FailureReason }
  | { outcome: 'not-executed' }
  | { outcome: 'unknown'; why: string }

/** What is known in the end. */
export type KnownOutcome = Exclude<WalletOutcome, { outcome: 'unknown' }>

/** An order to a wallet. */
interface Order {
  /** The merchant whose payment or refund this is. */
  businessId: string
  /** The idempotency key: the same key never moves money twice. */
  key: string
  /** Centimes. */
  amount: number
  /** Whoever gets it later must not carry it out any more. */
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
  /** Centimes, as in the order: a wallet that tells of another amount is not believed. */
  amount: number
  validUntil: Date
}

/** A wallet as the service sees it. No call throws for what a wallet may answer; what is thrown is an unknown outcome (ask.ts). */
export interface Wallet {
  name: WalletName
  /** Takes the amount from the customer, once. */
  authorise(order: PaymentOrder): Promise<WalletOutcome>
  /** Gives the amount of a payment, or a part of it, back to whoever paid. */
  refund(order: RefundOrder): Promise<WalletOutcome>
  /**
   * What became of the order with this key. `not-executed` is a promise: even if the order is still on its way, it will
   * never be carried out.
   */
  status(question: StatusQuery): Promise<WalletOutcome>
}
