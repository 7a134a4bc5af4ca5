import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from 'mongoose'
import { type Collection, isDuplicate, pastMongoose } from '../../mongo/collection.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { WalletOrder } from './account.ts'

/** What became of an order: the ledger of the sandbox. Written once, before anybody is told, and never changed. */
export interface WalletMovement {
  /** The order's key. */
  _id: string
  /** Of the try that decided (CurrentMovement); null where no wallet was touched. */
  nonce: string | null
  accountId: string | null
  kind: 'payment' | 'refund'
  /** Centimes; null when the order was never seen, only asked about. */
  amount: number | null
  /** Of a refund: the key of the payment. */
  paymentKey?: string
  result: KnownOutcome
  at: Date
  /** Rows of money that moved are kept for good. */
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

/** Nobody asks any more what became of an order that is so old, nor can a write of it still be on its way. */
const keptMs = 30 * 86_400_000

interface LedgerDeps {
  WalletMovement: Model<WalletMovement>
  now(): Date
}

/** An order as its row has it. */
export const toLedgerRow = ({ key, kind, amount, paymentKey }: WalletOrder) => ({
  _id: key,
  kind,
  amount,
  ...(kind === 'refund' ? { paymentKey } : {}),
})

/** Decides what became of an order, once: answers the row that stands, ours or the one that was there before. */
export async function decide(
  deps: LedgerDeps,
  row: Omit<WalletMovement, 'at' | 'forgetAt'>,
): Promise<WalletMovement> {
  const at = deps.now()
  const forgetAt = new Date(at.getTime() + keptMs)
  const whole: WalletMovement = { ...row, at, ...(row.result.outcome === 'done' ? {} : { forgetAt }) }
  try {
    await pastMongoose(deps.WalletMovement).insertOne(whole)
    return whole
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return earlier(deps, row._id)
  }
}

/** What another has just written is there for a majority some milliseconds later. */
const lookEveryMs = 10
const maxLooks = 100

async function earlier(deps: LedgerDeps, key: string): Promise<WalletMovement> {
  for (let look = 0; look < maxLooks; look += 1) {
    const row = await pastMongoose(deps.WalletMovement).findOne({ _id: key })
    if (row !== null) return row
    await pause(lookEveryMs)
  }
  throw new Error('the ledger has the key, and does not show it')
}
