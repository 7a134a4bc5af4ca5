import type { Deps } from '../deps.ts'
import { pastMongoose } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import type { Intent } from './intent.ts'
import { askWithSlot } from './query-wallets.ts'

/** Intents of one business in one run of the poll. More than a process asks about at a time. */
const mostOfOne = 100

interface Open extends Pick<Intent, '_id' | 'businessId' | 'hold' | 'refunds'> {
  askAt: Date
}

/**
 * Asks wallets about the payments and refunds that are due, with a share for each business. Does not wait for the wallets, because one that hangs
 * must not delay questions to others. Returns how many intents it found. Payments and refunds are separate searches, each with its own index.
 */
export async function askDue(deps: Deps): Promise<number> {
  const payments = await askBy(deps, 'hold.askAt', 'paymentToAsk', '$hold.askAt')
  return payments + (await askBy(deps, 'refunds.askAt', 'refundToAsk', { $min: '$refunds.askAt' }))
}

async function askBy(deps: Deps, field: string, index: string, askAt: unknown): Promise<number> {
  const now = deps.now()
  return inFairBatches<Open>(
    mostOfOne,
    (last, without) =>
      pastMongoose(deps.Intent).find<Open>(
        {
          [field]: { $lte: now, ...(last === null ? {} : { $gte: last.askAt }) },
          businessId: { $nin: [...without] },
        } as object,
        {
          projection: { businessId: 1, hold: 1, refunds: openRefunds, askAt },
          hint: index,
          sort: { [field]: 1 },
        },
      ),
    async (intents) => {
      for (const intent of intents) for (const key of keysDue(intent, now)) begin(deps, intent, key)
    },
  )
}

/** Only the PENDING refunds. An intent may have a thousand refunds, most of them ended. */
const openRefunds = { $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'PENDING'] } } }

/** The keys of the payments and refunds that are due. */
function keysDue({ hold, refunds }: Open, now: Date): string[] {
  const open = hold === null ? refunds : [hold, ...refunds]
  return open.filter(({ askAt }) => askAt !== undefined && askAt <= now).map(({ id }) => id)
}

/** Takes the slot before the intent is read, because a thousand questions of a business may be waiting for slots. */
function begin(deps: Deps, { _id: intentId, businessId }: Open, key: string): void {
  const free = deps.walletQueries.has(key) ? null : deps.walletQuerySlots.takeNow(businessId)
  if (free === null) return
  deps.walletQueries.add(key)
  deps.backgroundWork.add(
    ask(deps, intentId, key)
      .catch((err: unknown) => deps.log.warn({ err, intentId }, 'wallet.query-failed'))
      .finally(() => {
        deps.walletQueries.delete(key)
        free()
      }),
  )
}

async function ask(deps: Deps, intentId: string, key: string): Promise<void> {
  const { outcome, why, nextAt } = await askWithSlot(deps, intentId, key)
  if (outcome === 'unknown') deps.log.warn({ intentId, outcome, why, nextAt }, 'wallet.queried')
}
