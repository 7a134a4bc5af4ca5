import { currencyCode } from '../../schemas/currency.ts'
import type { ChainOwner } from '../chains/append.ts'
import { balanceOf } from '../ledger/statement.ts'
import { longestReadMs } from '../lists/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { outboxIndex } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
/**
 * What we owe the merchant in one environment, in centimes, with all payments and refunds up to `asOf`. Reads the
 * outboxes first, because the relay books an event before removing it there. That read has to skip older events of
 * other businesses, so it gets the limits of a list.
 */
export async function readBalance(deps: Pick<Deps, 'LedgerEntry' | 'lists' | 'now'>, owner: ChainOwner) {
  const now = deps.now()
  const unrelayedAt = await deps.lists.read((models) => oldestUnrelayed(models, owner))
  const amount = await balanceOf(deps, owner)
  const asOf = unrelayedAt === null || unrelayedAt > now ? now : new Date(unrelayedAt.getTime() - 1)
  return { currency: currencyCode, amount, asOf }
}

/** Don't filter by environment or time: like this, MongoDB reads one document in index order instead of sorting. */
async function oldestUnrelayed(deps: Pick<Deps, 'Intent'>, { businessId }: ChainOwner): Promise<Date | null> {
  const found = await nativeCollection(deps.Intent).findOne<{ oldest: Date }>(
    { businessId, 'outbox.createdAt': { $exists: true } },
    {
      hint: outboxIndex.name,
      sort: { 'outbox.createdAt': 1 },
      projection: { _id: 0, oldest: { $min: '$outbox.createdAt' } },
      maxTimeMS: longestReadMs,
    },
  )
  return found?.oldest ?? null
}
