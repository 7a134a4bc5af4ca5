import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import type { Intent } from './intent.ts'
import { queryWithSlot } from './query-wallets.ts'

/**
 * The maximum number of intents per business in one run of the poll. A process never queries this many at the same
 * time.
 */
const maxPerBusiness = 100

interface Open extends Pick<Intent, '_id' | 'businessId' | 'hold' | 'refunds'> {
  queryAt: Date
}

/**
 * Starts the wallet queries that are due. Each business gets a fair share of each run. Does not wait for the wallets,
 * because a wallet that hangs must not delay queries to other wallets. Returns the number of intents found. Payments
 * and refunds are searched for separately, because each has its own index.
 */
export async function queryDueWallets(deps: Deps): Promise<number> {
  const payments = await queryBy(deps, 'hold.queryAt', 'paymentToQuery', '$hold.queryAt')
  return payments + (await queryBy(deps, 'refunds.queryAt', 'refundToQuery', { $min: '$refunds.queryAt' }))
}

async function queryBy(deps: Deps, field: string, index: string, queryAt: unknown): Promise<number> {
  const now = deps.now()
  return inFairBatches<Open>(
    maxPerBusiness,
    (last, without) =>
      nativeCollection(deps.Intent).find<Open>(
        {
          [field]: { $lte: now, ...(last === null ? {} : { $gte: last.queryAt }) },
          businessId: { $nin: [...without] },
        } as object,
        {
          projection: { businessId: 1, hold: 1, refunds: pendingRefunds, queryAt },
          hint: index,
          sort: { [field]: 1 },
        },
      ),
    async (intents) => {
      for (const intent of intents) for (const key of keysDue(intent, now)) startQuery(deps, intent, key)
    },
  )
}

/**
 * Selects only the PENDING refunds, because an intent may have a thousand refunds, most of which have already ended.
 */
const pendingRefunds = { $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'PENDING'] } } }

/** Returns the keys of the intent's payment and refunds that are due for a query. */
function keysDue({ hold, refunds }: Open, now: Date): string[] {
  const open = hold === null ? refunds : [hold, ...refunds]
  return open.filter(({ queryAt }) => queryAt !== undefined && queryAt <= now).map(({ id }) => id)
}

/**
 * The slot is taken before the intent is read, because a thousand queries for one business may be waiting for slots.
 */
function startQuery(deps: Deps, { _id: intentId, businessId }: Open, key: string): void {
  const free = deps.walletQueries.has(key) ? null : deps.walletQuerySlots.takeNow(businessId)
  if (free === null) return
  deps.walletQueries.add(key)
  deps.backgroundWork.add(
    queryAndLog(deps, intentId, key)
      .catch((err: unknown) => deps.log.warn({ err, intentId }, 'wallet.query-failed'))
      .finally(() => {
        deps.walletQueries.delete(key)
        free()
      }),
  )
}

async function queryAndLog(deps: Deps, intentId: string, key: string): Promise<void> {
  const { outcome, why, nextAt } = await queryWithSlot(deps, intentId, key)
  if (outcome === 'unknown') deps.log.warn({ intentId, outcome, why, nextAt }, 'wallet.queried')
}
