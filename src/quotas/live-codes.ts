import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { type Counted, countingMs, secondsLeft } from './quota.ts'

/** The time after which a code becomes available again if its intent is paid or cancelled now (src/intents/code.ts). */
const longestWaitMs = 15 * 60_000

/**
 * Counts the live codes that each of the businesses has in use. The counts include codes of finished intents if these
 * codes cannot be assigned to new intents yet. The query reads only the `liveCodes` index.
 */
export const countLiveCodes = (
  { Intent, now }: Pick<Deps, 'Intent' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> =>
  Intent.aggregate<Counted>([
    {
      $match: {
        businessId: { $in: businessIds },
        codeReusableAt: { $gt: now() },
        codeKey: { $gte: 'live:', $lt: 'live;' },
      },
    },
    { $group: { _id: '$businessId', used: { $sum: 1 }, freeAt: { $min: '$codeReusableAt' } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()

/** Returns the maximum number of live codes that a business may have in use. */
export const liveCodeLimit = ({ config }: Pick<Deps, 'config'>, { limits }: Pick<Caller, 'limits'>): number =>
  limits.liveCodes ?? config.liveCodesPerBusiness

/**
 * Runs `insert`, which inserts a live intent. Throws RATE_LIMITED without inserting anything if the business has no
 * codes left.
 */
export async function withLiveCode<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  insert: () => Promise<T>,
): Promise<T> {
  const limit = liveCodeLimit(deps, caller)
  const taken = await deps.quotas.liveCodes.take(caller.businessId, 'now', limit, 1)
  if (!taken.isTaken)
    throw refuse('RATE_LIMITED', {
      message: `All ${limit} payment codes of this business are in use. Cancel payment intents that will not be paid, or wait.`,
      details: { scope: 'codes', limit },
      retryAfterSeconds: secondsLeft(taken.freeAt, deps.now(), longestWaitMs),
    })
  return insert().finally(taken.end)
}
