import { longestReadMs } from '../../input/pagination.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { type Log, throttled } from '../../process/log.ts'
import { type ChainEnd, type ChainWatch, createChainWatch } from './chain-watch.ts'

/**
 * The maximum number of chains per read. On a busy machine with two cores, MongoDB needs 6 ms for 100 chains. Without
 * the hint, it would plan each branch separately and need ten times as long.
 */
const maxPerRead = 100

/** Creates the watch over the chains of the event log. */
export const openChainWatch = ({ LoggedEvent }: Pick<Models, 'LoggedEvent'>, log: Log): ChainWatch => {
  const collection = nativeCollection(LoggedEvent)
  const warn = throttled(5000, (fields) => log.warn(fields, 'mongodb.failed'))
  const readGrown = async (known: readonly ChainEnd[]): Promise<ChainEnd[]> => {
    const branches = known.map(({ businessId, sandbox, number }) => ({
      businessId,
      sandbox,
      number: { $gt: number },
    }))
    const grown = await collection
      .aggregate<{ _id: Omit<ChainEnd, 'number'>; number: number }>(
        [
          { $match: { $or: branches } },
          {
            $group: {
              _id: { businessId: '$businessId', sandbox: '$sandbox' },
              number: { $max: '$number' },
            },
          },
        ],
        { hint: 'chain', maxTimeMS: longestReadMs },
      )
      .toArray()
    return grown.map(({ _id: owner, number }) => ({ ...owner, number }))
  }
  return createChainWatch(
    async (known) => {
      const grown: ChainEnd[] = []
      for (let start = 0; start < known.length; start += maxPerRead)
        grown.push(...(await readGrown(known.slice(start, start + maxPerRead))))
      return grown
    },
    (err) => warn({ err }),
    () => performance.now(),
  )
}
