import type { Deps } from '../../deps.ts'
import type { Span } from '../../input/span.ts'
import { deadIn, shownDeadMs } from './dead-in.ts'

/**
 * The number of deliveries that are due, are waiting for their next attempt, or have died within the last
 * `shownDeadMs`.
 */
export interface Backlog {
  due: number
  waiting: number
  dead: number
}

/** Counting stops at this number, so a count of this value means "at least this many". */
export const maxCounted = 100_000

/** Counts with the partial indexes `open` and `deadByTime`, each up to `maxCounted`. */
export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<Backlog> {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, deadIn({ from: new Date(now.getTime() - shownDeadMs), to: null })),
  ])
  return { due, waiting, dead }
}

/** Counts an endpoint's deliveries that died within the span and are still DEAD, up to `maxCounted`. */
export const countDeadOf = (deps: Pick<Deps, 'Delivery'>, endpointId: string, span: Span): Promise<number> =>
  count(deps, { endpointId, ...deadIn(span) })

const count = (deps: Pick<Deps, 'Delivery'>, filter: object): Promise<number> =>
  deps.Delivery.countDocuments(filter, { limit: maxCounted })
