import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'

/**
 * The name of the system that holds the customers' money: the sandbox, a simulation without money, or a live-mode
 * provider. Each payment stores this name, because only the wallet that made a payment can report its outcome or refund
 * it.
 */
export type WalletName = 'sandbox' | 'simulation' | `live:${string}`

/**
 * Why a wallet refused a payment. The customer can correct either problem, so the intent does not change, and no event
 * is recorded. A phone number without a wallet is reported as a wrong PIN.
 */
export type RefusalReason = 'wrong_pin' | 'wallet_locked'

/**
 * The outcome of a payment or a refund.
 * - `done`: the money moved.
 * - `refused`, `declined`, `failed`: no money moved, and none ever will under this key.
 * - `not-executed`: the wallet never carried out the order, and never will.
 * - `unknown`: the outcome is not known yet. Call `status` to determine it.
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
  /** The id of the HTTP request that caused the call. Null or missing if a job did. It appears only in the log. */
  requestId?: string | null | undefined
  /** The business to which the payment or refund belongs. */
  businessId: string
  /** The order's idempotency key. If two orders have the same key, money moves only once. */
  key: string
  /** The amount in centimes that goes to the merchant or comes from the merchant. */
  amount: number
  /** The payer's fee in centimes. A payment charges `amount + fee`, and a refund returns `amount + fee`. */
  fee: number
  /** A wallet that receives the order after this time must not carry it out. */
  validUntil: Date
}

export interface PaymentOrder extends Order {
  /** The payment's reference, which appears on the customer's statement. */
  referenceNumber: string
  /** The customer's phone number, which consists of digits only (phone.ts). */
  phone: string
  pin: string
}

export interface RefundOrder extends Order {
  /** The key of the payment that is being refunded. */
  paymentKey: string
}

/** Asks for the outcome of an order. A response with a different amount or fee is not trusted. */
export interface StatusQuery extends Order {
  kind: 'payment' | 'refund'
}

/**
 * A wallet as the rest of the service uses it. Each method returns an outcome for every response from the wallet,
 * whatever the response contains. If a method throws, the outcome is unknown (query.ts).
 */
export interface Wallet {
  name: WalletName
  /** Charges the customer the amount and the fee, at most once for each key. */
  authorise(order: PaymentOrder): Promise<WalletOutcome>
  /** Returns all or part of a payment and its fee to the payer. */
  refund(order: RefundOrder): Promise<WalletOutcome>
  /**
   * Resolves to the outcome of the order with this key. The outcome `not-executed` guarantees that the order will never
   * be carried out, even if it still arrives after this call.
   */
  status(query: StatusQuery): Promise<WalletOutcome>
}

/** A wallet that keeps its connections open until it is closed. */
type LiveWallet = Wallet & { close(): Promise<void> }

/** The wallets that are configured in this installation. */
export type Wallets = ReturnType<typeof openWallets>

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null) {
  const all = [simulation, sandboxWallet, liveWallet]
  return {
    /**
     * Returns the wallet for new payments: the sandbox wallet for test intents, or the provider's wallet for live
     * intents. Returns null for live intents if no provider is configured.
     */
    forPayments: (sandbox: boolean): Wallet | null => (sandbox ? sandboxWallet : liveWallet),
    /** Returns the wallet that made an earlier payment, or null if that wallet is no longer configured. */
    named: (name: WalletName): Wallet | null => all.find((wallet) => wallet?.name === name) ?? null,
    async close(): Promise<void> {
      await liveWallet?.close()
    },
  }
}

/** The wallet for simulated payments. It holds no money, so every order succeeds. */
const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
