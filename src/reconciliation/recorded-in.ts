import type { mongo } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { Pace } from '../retention/pace.ts'
import { type Recorded, type RecordedIntent, recordedFields, recordedPayment, recordedRefunds } from './recorded.ts'

/** The number of businesses, and of intents, that one query reads. */
const maxBusinesses = 500
const maxIntents = 500

/** MongoDB aborts each query after this time, which is less than the 5 s after which the driver gives up. */
export const maxReadMs = 4000

/** A period that includes `from` and excludes `to`. */
export interface Period {
  from: Date
  to: Date
}

/** Returns the filter for the wallet whose payments are compared, or for all live wallets if `wallet` is null. */
const walletFilter = (wallet: string | null) => wallet ?? { $gte: 'live:', $lt: 'live;' }

type Deps = Pick<Models, 'Business' | 'Intent'> & { pace: Pace }

/**
 * Yields all live payments that were made in a period, and all live refunds that were settled in it. Reads one business
 * after another through indexes. A query reads at most 501 intents, or all intents of one millisecond, and `pace` rests
 * after it.
 */
export async function* recordedIn(
  deps: Deps,
  period: Period,
  wallet: string | null,
): AsyncGenerator<Recorded[], void, undefined> {
  for await (const businessId of businessIds(deps)) {
    const live = { businessId, sandbox: false, 'payment.wallet': walletFilter(wallet) }
    const payments = (span: object) => ({ ...live, 'payment.paidAt': span })
    for await (const { intents } of intentsIn(deps, 'byPaidAt', payments, period))
      yield intents.flatMap(recordedPayment)
    const refunds = (span: object) => ({
      ...live,
      'refunds.refundedAt': { $exists: true },
      refunds: { $elemMatch: { refundedAt: span } },
    })
    for await (const { intents, from, to } of intentsIn(deps, 'byRefundedAt', refunds, period))
      yield intents.flatMap(recordedRefunds).filter(({ at }) => at >= from && at < to)
  }
}

/**
 * Yields the intents of a period in parts. If a period has more than `maxIntents`, its halves are read instead, so no
 * query has to skip what an earlier one has read.
 */
async function* intentsIn(
  deps: Deps,
  index: string,
  filterOf: (span: object) => Record<string, unknown>,
  { from, to }: Period,
): AsyncGenerator<Period & { intents: RecordedIntent[] }, void, undefined> {
  const isDivisible = to.getTime() - from.getTime() > 1
  const filter = filterOf({ $gte: from, $lt: to }) as mongo.Filter<Intent>
  const intents = await deps.pace(() =>
    nativeCollection(deps.Intent)
      .find(filter, {
        hint: index,
        limit: isDivisible ? maxIntents + 1 : 0,
        projection: recordedFields,
        maxTimeMS: maxReadMs,
      })
      .toArray(),
  )
  if (!isDivisible || intents.length <= maxIntents) {
    yield { intents, from, to }
    return
  }
  const middle = new Date(Math.floor((from.getTime() + to.getTime()) / 2))
  yield* intentsIn(deps, index, filterOf, { from, to: middle })
  yield* intentsIn(deps, index, filterOf, { from: middle, to })
}

/** Yields the ids of all businesses. */
export async function* businessIds({ Business, pace }: Deps): AsyncGenerator<string, void, undefined> {
  for (let last = ''; ; ) {
    const after = last
    const page = await pace(() =>
      Business.find({ _id: { $gt: after } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(maxBusinesses)
        .maxTimeMS(maxReadMs)
        .lean<{ _id: string }[]>(),
    )
    for (const { _id } of page) yield _id
    if (page.length < maxBusinesses) return
    last = page.at(-1)?._id ?? ''
  }
}
