import type { Deps } from '../../deps.ts'
import type { Span } from '../../input/span.ts'
import { deadIn, shownDeadMs } from './dead-in.ts'

/** How many deliveries are due, wait for their next attempt, or died within the last `shownDeadMs`. */
export interface Backlog {
  due: number
  waiting: number
  dead: number
}

/** Counting stops here, so a count of this value means "or more". */
export const countedAtMost = 100_000

/** Counts by the partial indexes `open` and `deadByTime`, each up to `countedAtMost`. */
export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<Backlog> {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, deadIn({ from: new Date(now.getTime() - shownDeadMs), to: null })),
  ])
  return { due, waiting, dead }
}

/** How many deliveries of an endpoint are DEAD, up to `countedAtMost`. The span is of `deadAt`. */
export const countDeadOf = (deps: Pick<Deps, 'Delivery'>, endpointId: string, span: Span): Promise<number> =>
  count(deps, { endpointId, ...deadIn(span) })

const count = (deps: Pick<Deps, 'Delivery'>, which: object): Promise<number> =>
  deps.Delivery.countDocuments(which, { limit: countedAtMost })
