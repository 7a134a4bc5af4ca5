import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from 'mongoose'
import { type Collection, isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { WalletOrder } from './account.ts'

/**
 * A row in the sandbox ledger, which stores the outcome of one order. The row is written before the outcome is
 * returned, and never changes.
 */
export interface WalletMovement {
  /** The order's key. */
  _id: string
  /** The nonce of the CurrentMovement that decided the order, or null if the order was decided without a movement. */
  nonce: string | null
  accountId: string | null
  kind: 'payment' | 'refund'
  /** The amount in centimes. This is null if a status query decided the order before the order itself arrived. */
  amount: number | null
  /** The payer's fee in centimes, or null like the amount. */
  fee: number | null
  /** The key of the refunded payment. */
  paymentKey?: string
  result: KnownOutcome
  at: Date
  /**
   * The time at which the row is removed. The rows for orders that moved money are never removed, so this field is
   * missing in them.
   */
  forgetAt?: Date
}

export const walletMovements: Collection = {
  name: 'walletmovements',
  fields: {
    _id: String,
    nonce: String,
    accountId: String,
    kind: String,
    amount: Number,
    fee: Number,
    paymentKey: String,
    result: { _id: false, outcome: String, reason: String },
    at: Date,
    forgetAt: Date,
  },
  indexes: [
    {
      name: 'byPayment',
      key: { paymentKey: 1 },
      partialFilterExpression: { paymentKey: { $exists: true } },
    },
    { name: 'forgetting', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
}

/**
 * How long the row for an order that moved no money is kept. Once a row is this old, no status queries and no late
 * writes are expected for its order.
 */
const keptMs = 30 * 86_400_000

interface LedgerDeps {
  WalletMovement: Model<WalletMovement>
  now(): Date
}

export const toLedgerRow = ({ key, kind, amount, fee, paymentKey }: WalletOrder) => ({
  _id: key,
  kind,
  amount,
  fee,
  ...(kind === 'refund' ? { paymentKey } : {}),
})

/**
 * Decides an order's outcome once and for all by inserting its row. Returns the inserted row, or the existing row if
 * the order had already been decided.
 */
export async function decide(deps: LedgerDeps, row: Omit<WalletMovement, 'at' | 'forgetAt'>): Promise<WalletMovement> {
  const at = deps.now()
  const forgetAt = new Date(at.getTime() + keptMs)
  const whole: WalletMovement = { ...row, at, ...(row.result.outcome === 'done' ? {} : { forgetAt }) }
  try {
    await nativeCollection(deps.WalletMovement).insertOne(whole)
    return whole
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return waitForRow(deps, row._id)
  }
}

/**
 * If another process has just inserted the row, majority reads do not return the row until a few milliseconds later.
 * Until then, the read is repeated at this interval.
 */
const readEveryMs = 10
const maxReads = 100

async function waitForRow(deps: LedgerDeps, key: string): Promise<WalletMovement> {
  for (let reads = 0; reads < maxReads; reads += 1) {
    const row = await nativeCollection(deps.WalletMovement).findOne({ _id: key })
    if (row !== null) return row
    await pause(readEveryMs)
  }
  throw new Error('The ledger has a row with this key, but does not return it.')
}
