import type { Deps } from '../deps.ts'
import type { Span } from '../span.ts'

/** How many deliveries stand where: due now, waiting for their next attempt, DEAD. */
export interface Backlog {
  due: number
  waiting: number
  dead: number
}

/** A count that reaches this is "so many or more". */
export const countedAtMost = 100_000

/** Counts by the partial indexes `due` and `deadByTime`, each up to `countedAtMost`. */
export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<Backlog> {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, { deadAt: { $type: 'date' } }),
  ])
  return { due, waiting, dead }
}

/** How many of a receiver's deliveries are DEAD, up to `countedAtMost`; `from` and `to` are about the moment of death. */
export const countDeadOf = (
  deps: Pick<Deps, 'Delivery'>,
  endpointId: string,
  { from, to }: Span,
): Promise<number> =>
  count(deps, {
    endpointId,
    deadAt: { $type: 'date', ...(from === null ? {} : { $gte: from }), ...(to === null ? {} : { $lte: to }) },
  })

const count = (deps: Pick<Deps, 'Delivery'>, which: object): Promise<number> =>
  deps.Delivery.countDocuments(which, { limit: countedAtMost })
