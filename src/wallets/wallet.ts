import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'

/**
 * The system that has the customers' money: the sandbox, a simulation without money, or a live provider. Payments store
 * this name, because only the wallet that made a payment can report its outcome or refund it.
 */
export type WalletName = 'sandbox' | 'simulation' | `live:${string}`

/** The customer can correct either, so there's no event. A number without a wallet counts as a wrong PIN. */
export type RefusalReason = 'wrong_pin' | 'wallet_locked'

/**
 * - `done`: the money moved.
 * - `refused`, `declined`, `failed`: no money moved, and none ever will under this key.
 * - `not-executed`: the wallet never carried out the order, and never will.
 * - `unknown`: we don't know yet. Call `status` to find out.
 */
export type WalletOutcome =
  | { outcome: 'done' }
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: DeclineReason }
  | { outcome: 'failed'; reason: FailureReason }
  | { outcome: 'not-executed' }
  | { outcome: 'unknown'; why: string }

export type KnownOutcome = Exclude<WalletOutcome, { outcome: 'unknown' }>

interface Order {
  /** The HTTP request behind the order, for the log. Null or missing if a job sent it. */
  requestId?: string | null | undefined
  businessId: string
  /** The idempotency key: the wallet moves money only once per key. */
  key: string
  /** What the merchant gets or returns, in centimes. */
  amount: number
  /** The payer's fee in centimes. A payment charges `amount + fee`, and a refund returns as much. */
  fee: number
  /** A wallet that receives the order later must not carry it out. */
  validUntil: Date
}

export interface PaymentOrder extends Order {
  /** Appears on the customer's statement. */
  referenceNumber: string
  phone: string
  pin: string
}

export interface RefundOrder extends Order {
  paymentKey: string
}

/** `amount` and `fee` are compared with the response, which isn't trusted if they differ. */
export interface StatusQuery extends Order {
  kind: 'payment' | 'refund'
}

/**
 * Methods return an outcome for any response, whatever it contains. If one throws, the outcome is unknown (query.ts).
 */
export interface Wallet {
  name: WalletName
  /** At most once per key. */
  authorise(order: PaymentOrder): Promise<WalletOutcome>
  refund(order: RefundOrder): Promise<WalletOutcome>
  /** After `not-executed`, the order is never carried out, even if it still arrives. */
  status(query: StatusQuery): Promise<WalletOutcome>
}

type LiveWallet = Wallet & { close(): Promise<void> }

export type Wallets = ReturnType<typeof openWallets>

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null) {
  const all = [simulation, sandboxWallet, liveWallet]
  return {
    /** Null for live intents if no provider is configured. */
    forPayments: (sandbox: boolean): Wallet | null => (sandbox ? sandboxWallet : liveWallet),
    /** For an earlier payment. Null if its wallet is no longer configured. */
    named: (name: WalletName): Wallet | null => all.find((wallet) => wallet?.name === name) ?? null,
    async close(): Promise<void> {
      await liveWallet?.close()
    },
  }
}

/** Has no money to move, so every order succeeds. */
const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
