import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, unavailable } from '../../errors.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import { newId } from '../../ids.ts'
import type { Attempt } from './attempt.ts'
import { draftOrder } from './draft.ts'
import { giveBack, settle } from './give-back.ts'
import { findAnyLine, findLines } from './lines.ts'
import { nudgeOrderRelay } from './nudge-relay.ts'
import type { OrderRequest } from './parse-simulation.ts'
import { presentOrder } from './present.ts'
import { release } from './release.ts'
import { takeBackFrom } from './reservations.ts'
import { reserve, takingsOf } from './reserve.ts'
import { refuseShortfall } from './shortfall.ts'
import { writeDown } from './write-down.ts'

/** Each further one means that a product changed between the look at it and the write: so many in a row is no chance. */
const mostTries = 16

type Placed = Record<string, unknown> | DoneBefore

/**
 * Places an order of what is asked for: takes it from the stock, then writes the order, its `order.new` and its sealed answer in ONE
 * insert, and nudges the relay. All of it or nothing, also when the process dies half-way (docs/store.md). The refusals of `findLines`,
 * `draftOrder` and `refuseShortfall`.
 */
export async function placeOrder(
  deps: Deps,
  caller: Caller,
  asked: OrderRequest,
  effect: Effect,
): Promise<Placed> {
  const { businessId, sandbox } = caller
  for (let tries = 0; tries < mostTries; tries += 1) {
    const attempt = { order: effect.id, businessId, sandbox, attempt: newId() }
    const placed = await tryToPlace(deps, caller, asked, attempt, effect).catch((error: unknown) =>
      confirmRefusal(deps, attempt, error),
    )
    if (placed !== 'again') return placed
  }
  throw unavailable()
}

async function tryToPlace(
  deps: Deps,
  caller: Caller,
  { items, customer }: OrderRequest,
  attempt: Attempt,
  effect: Effect,
): Promise<Placed | 'again'> {
  const lines = items === null ? [await findAnyLine(deps, caller)] : await findLines(deps, caller, items)
  const order = draftOrder(deps, attempt, lines, customer)
  refuseShortfall(lines)
  const takings = takingsOf(lines)
  if (!(await reserve(deps, attempt, takings, effect.until))) return 'again'
  const data = presentOrder(order)
  const written = await writeDown(deps, { ...order, answer: effect.seal(data) }, effect.until)
  if (written === 'placed') {
    nudgeOrderRelay(deps, order)
    // Nobody waits for this; what is lost of it the sweep finds.
    settle(deps, attempt.attempt, takings).catch(() => undefined)
    return data
  }
  await giveBack(deps, attempt.attempt, takings)
  if (written === 'released') throw unavailable()
  return written === 'placed-before' ? doneBefore : 'again'
}

/**
 * Before a merchant hears no. What an earlier try of this order has taken, whose process died, may be just what lacks: it goes back, and the
 * order is tried again. And this no must hold also if that try's insert is still on its way.
 */
async function confirmRefusal(deps: Deps, attempt: Attempt, error: unknown): Promise<DoneBefore | 'again'> {
  if (!(error instanceof Refusal) || error.statusCode >= 500) throw error
  if ((await takeBackFrom(deps, attempt.order)) > 0) return 'again'
  if ((await release(deps, attempt)) !== null) return doneBefore
  throw error
}
