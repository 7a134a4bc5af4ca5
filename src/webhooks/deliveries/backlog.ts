import type { Deps } from '../../deps.ts'
import { anyTime, type Span } from '../../input/span.ts'
import { deadIn, shownDeadMs } from './dead-in.ts'

/**
 * The number of deliveries that are due, the number waiting for the time of their next attempt, and the number that
 * died within the last `shownDeadMs` and are still DEAD.
 */
export interface Backlog {
  due: number
  waiting: number
  dead: number
}

/** Counting stops at this number, so a count of exactly this number means "at least this many". */
export const maxCounted = 100_000

/** Counts the backlog up to `maxCounted` in each category, using the partial indexes `open` and `deadByTime`. */
export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<Backlog> {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, deadIn({ from: new Date(now.getTime() - shownDeadMs), to: null })),
  ])
  return { due, waiting, dead }
}

/** The number of DEAD deliveries and the number that are due or waiting for their next attempt. */
export interface DeliveryTotals {
  dead: number
  waiting: number
}

/** Counts the deliveries of a business or to an endpoint, using indexes only. Each count stops at `maxCounted`. */
export async function deliveryTotals(
  deps: Pick<Deps, 'Delivery'>,
  of: { businessId: string } | { endpointId: string },
): Promise<DeliveryTotals> {
  const both = { ...of, sandbox: { $in: [true, false] } }
  const filters =
    'businessId' in of
      ? [
          { ...both, status: 'DEAD' },
          { ...both, status: { $in: ['PENDING', 'RETRYING'] } },
        ]
      : [
          { ...of, ...deadIn(anyTime) },
          { ...of, nextAttemptAt: { $type: 'date' } },
        ]
  const [dead = 0, waiting = 0] = await Promise.all(filters.map((filter) => count(deps, filter)))
  return { dead, waiting }
}

/** Counts an endpoint's deliveries that died within the span and are still DEAD. Stops at `maxCounted`. */
export const countDeadOf = (deps: Pick<Deps, 'Delivery'>, endpointId: string, span: Span): Promise<number> =>
  count(deps, { endpointId, ...deadIn(span) })

/** Counts a business's DEAD deliveries in both environments. Stops at `maxCounted`. */
export const countDeadOfBusiness = (deps: Pick<Deps, 'Delivery'>, businessId: string): Promise<number> =>
  count(deps, { businessId, sandbox: { $in: [true, false] }, status: 'DEAD' })

const count = (deps: Pick<Deps, 'Delivery'>, filter: object): Promise<number> =>
  deps.Delivery.countDocuments(filter, { limit: maxCounted })
