import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import type { Intent } from './intent.ts'
import { queryWallet } from './query-wallets.ts'

/**
 * The maximum number of intents per business in one run of the poll. A process never runs this many wallet queries for
 * one business at the same time.
 */
const maxPerBusiness = 100

interface Open extends Pick<Intent, '_id' | 'businessId' | 'hold' | 'refunds'> {
  queryAt: Date
}

/**
 * Starts the wallet queries that are due. In each run, every business gets a fair share. This function does not wait
 * for the wallets, because a wallet that hangs must not delay the queries to other wallets. Returns the number of
 * intents that were found. Due payments and due refunds are found by two separate searches, because each of them has
 * its own index.
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
 * Selects only the PENDING refunds of an intent. An intent may have a thousand refunds, and most of them have already
 * ended.
 */
const pendingRefunds = { $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'PENDING'] } } }

/** Returns the wallet keys of those payments and refunds of the intent for which a query is due. */
function keysDue({ hold, refunds }: Open, now: Date): string[] {
  const open = hold === null ? refunds : [hold, ...refunds]
  return open.filter(({ queryAt }) => queryAt !== undefined && queryAt <= now).map(({ id }) => id)
}

/**
 * Starts a query in the background, unless no slot is free or this process is already running the query. Takes the slot
 * before the intent is read, because a business may have a thousand due queries, and reading the intent is useless if
 * there is no slot for its query.
 */
function startQuery(deps: Deps, { _id: intentId, businessId }: Open, key: string): void {
  const held = deps.walletQueries.has(key) ? null : deps.capacity.takeNow([businessId], { walletQueries: 1 })
  if (held === null) return
  deps.walletQueries.add(key)
  void deps.backgroundWork.add(
    queryAndLog(deps, intentId, key)
      .catch((err: unknown) => deps.log.warn({ err, intentId, businessId, key }, 'wallet.query-failed'))
      .finally(() => {
        deps.walletQueries.delete(key)
        held.free()
      }),
  )
}

async function queryAndLog(deps: Deps, intentId: string, key: string): Promise<void> {
  const { intent, outcome, why, nextAt } = await queryWallet(deps, intentId, key, { hasSlot: true })
  if (outcome === 'unknown') deps.log.warn({ intentId, ...intent, key, outcome, why, nextAt }, 'wallet.queried')
}
