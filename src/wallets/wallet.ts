import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import type { Config } from '../config/config.ts'
import { isDatabaseFault } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { isUnavailable } from '../platform/errors.ts'
import { withTimeout } from '../platform/timeout.ts'

/** Only the wallet that made a payment can report on it or refund it. */
export type WalletName = 'sandbox' | 'simulation' | `live:${string}`

/** Customers can correct both, so neither triggers an event. */
export type PinRefusalReason = 'wrong_pin' | 'wallet_locked'

/**
 * - `refused`, `declined`, `failed`: no transfer will ever use this key.
 * - `not-executed`: the wallet never carried out the order, and never will.
 * - `unknown`: call `status` to find out.
 */
export type WalletOutcome =
  | { outcome: 'done' }
  | { outcome: 'refused'; reason: PinRefusalReason }
  | { outcome: 'declined'; reason: DeclineReason }
  | { outcome: 'failed'; reason: FailureReason }
  | { outcome: 'not-executed' }
  | { outcome: 'unknown'; why: string }

export type KnownWalletOutcome = Exclude<WalletOutcome, { outcome: 'unknown' }>

interface Order {
  /** Only logged. Null or missing if a job sent the order. */
  requestId?: string | null | undefined
  businessId: string
  /** The idempotency key. The wallet transfers money only once per key. */
  key: string
  amount: number
  /** The payer's fee, charged or returned in addition to `amount`. */
  fee: number
  /** A wallet that receives the order later must not carry it out. */
  validUntil: Date
}

export interface PaymentOrder extends Order {
  referenceNumber: string
  phone: string
  pin: string
}

export interface RefundOrder extends Order {
  paymentKey: string
}

/** A response with a different `amount` or `fee` isn't trusted. */
export interface OrderStatusQuery extends Order {
  kind: 'payment' | 'refund'
}

/** If a method throws, the outcome is unknown. */
export interface Wallet {
  name: WalletName
  /** False if the operator has set that this wallet makes no refunds. */
  refunds?: boolean
  authorise(order: PaymentOrder): Promise<WalletOutcome>
  refund(order: RefundOrder): Promise<WalletOutcome>
  status(query: OrderStatusQuery): Promise<WalletOutcome>
}

type LiveWallet = Wallet & { close(): Promise<void> }

export type Wallets = ReturnType<typeof openWallets>

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null) {
  const all = [simulation, sandboxWallet, liveWallet]
  return {
    forPayments: (sandbox: boolean): Wallet | null => (sandbox ? sandboxWallet : liveWallet),
    named: (name: WalletName): Wallet | null => all.find((wallet) => wallet?.name === name) ?? null,
    async close(): Promise<void> {
      await liveWallet?.close()
    },
  }
}

const succeed = async () => ({ outcome: 'done' }) as const
const simulation: Wallet = { name: 'simulation', authorise: succeed, refund: succeed, status: succeed }

/** In centimes. A sandbox payment of this amount fails for good (SPEC 8). */
export const failingPaymentAmount = 99_901
/** In centimes. Sandbox refunds of it, or of payments of it, fail (SPEC 8). */
export const failingRefundAmount = 99_904

const deliveryGraceMs = 5000

/** After this time, no wallet may carry out the order. */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + deliveryGraceMs)

const reportGraceMs = 1000

/** Only MongoDB's errors are expected here. All others are bugs. */
export async function callWallet(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  const startedAt = performance.now()
  const limitMs = deps.config.walletTimeoutMs + reportGraceMs
  const onTimeout = (): WalletOutcome => ({ outcome: 'unknown', why: 'no response in time' })
  const result = await withTimeout(resultOf(deps, wallet, call), limitMs, onTimeout)
  const labels = { wallet: wallet.split(':', 1)[0] as string, outcome: result.outcome }
  deps.metrics.walletCalls.observe(labels, (performance.now() - startedAt) / 1000)
  return result
}

async function resultOf(
  deps: Pick<Deps, 'log'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  try {
    return await call()
  } catch (err) {
    if (isDatabaseFault(err) || isUnavailable(err)) return { outcome: 'unknown', why: (err as Error).name }
    deps.log.error({ err, wallet }, 'wallet.exception')
    return { outcome: 'unknown', why: 'exception' }
  }
}
