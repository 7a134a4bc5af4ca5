import { appendLinks, type ChainOwner } from '../chains/append.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { linkClosing } from './link.ts'

/**
 * Closes all days before today: appends the closing marker, unless these days are already closed. No later write can
 * change a closed day, not even that of a process that was frozen before midnight, because the number that the process
 * would use is taken.
 */
export async function closeDays(
  deps: Pick<Models, 'LedgerEntry'> & { now(): Date },
  { businessId, sandbox }: ChainOwner,
): Promise<void> {
  const owner = { businessId, sandbox }
  await appendLinks(nativeCollection(deps.LedgerEntry), owner, [], (last) => {
    const marker = linkClosing(owner, last, deps.now())
    return marker === null ? [] : [marker]
  })
}
