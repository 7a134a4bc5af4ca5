import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, refuse, unavailable } from '../../errors.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import { withinSandboxDay } from '../../quotas/sandbox-day.ts'
import { newId } from '../../security/ids.ts'
import { findAnyLine } from './any-line.ts'
import type { Try } from './attempt.ts'
import { draftOrder } from './draft.ts'
import { giveBack } from './give-back.ts'
import { findLines } from './lines.ts'
import type { Order } from './order.ts'
import type { OrderRequest } from './parse-simulation.ts'
import { placedResponse } from './recall.ts'
import { writeDown } from './record.ts'
import { release } from './release.ts'
import { takeBackFrom } from './reservations.ts'
import { reserve, takingsOf } from './reserve.ts'
import { settle } from './settle.ts'
import { judgeStock } from './shortfall.ts'

/** Twice what an order usually holds its units for, so that most need to look again only once. Each further pause is so much longer. */
const shortestPauseMs = 50
/** By then the process that holds them is dead, and a poll has to give them back. */
const longestPauseMs = 500
/** What a last try may need, so that its merchant hears of that and not of a deadline. */
const lastTryMs = 1000

type Placed = Record<string, unknown> | DoneBefore
/** Why a try neither placed the order nor was refused: a product changed between the look at it and the write, or others hold what lacks. */
type Undecided = 'changed' | 'held'

/**
 * Places an order: takes the units from the stock, then writes the order and its `order.new` in ONE insert, and wakes the relay. Either all of this happens or nothing, even if the process dies midway (docs/merchants/store.md). Throws the refusals of `findLines`,
 * `findAnyLine`, `draftOrder` and `judgeStock`; RATE_LIMITED if the quota of the day is used up; SERVICE_UNAVAILABLE if other orders hold the
 * stock until the deadline.
 */
export const placeOrder = (
  deps: Deps,
  caller: Caller,
  asked: OrderRequest,
  effect: Effect,
): Promise<Placed> => withinSandboxDay(deps, caller, 1, () => placeInTries(deps, caller, asked, effect))

async function placeInTries(
  deps: Deps,
  caller: Caller,
  asked: OrderRequest,
  effect: Effect,
): Promise<Placed> {
  const { businessId, sandbox } = caller
  for (let tries = 1; performance.now() < effect.deadlineAt - lastTryMs; tries += 1) {
    const mine = { order: effect.id, businessId, sandbox, tryId: newId() }
    const went = await deps.orderOneAtATime(businessId, async () =>
      // The wait for a slot may have lasted until the deadline.
      performance.now() < effect.deadlineAt - lastTryMs
        ? tryToPlace(deps, caller, asked, mine, effect).catch((error: unknown) =>
            confirmRefusal(deps, mine, error),
          )
        : 'held',
    )
    if (went !== 'changed' && went !== 'held') return went
    // It may be this very order that holds it: an earlier try of it, whose process died.
    if (went === 'held') await takeBackFrom(deps, effect.id)
    await pause(Math.random() * Math.min(longestPauseMs, shortestPauseMs * tries))
  }
  throw refuse('SERVICE_UNAVAILABLE', {
    message:
      'Concurrent requests keep changing these products. No order was placed. Repeat the request with the same idempotency key.',
    retryAfterSeconds: 2,
  })
}

async function tryToPlace(
  deps: Deps,
  caller: Caller,
  { items, customer }: OrderRequest,
  mine: Try,
  effect: Effect,
): Promise<Placed | Undecided> {
  const lines = items === null ? await findAnyLine(deps, caller) : await findLines(deps, caller, items)
  if (lines === 'held') return 'held'
  const order = draftOrder(deps, mine, lines, { customer, cause: effect.cause })
  if (judgeStock(lines) === 'held') return 'held'
  const takings = takingsOf(lines)
  if (!(await reserve(deps, mine, takings, effect.deadlineAt))) return 'changed'
  const written = await writeDown(deps, order, effect.deadlineAt)
  if (written === 'placed') {
    wakeOrderRelay(deps, order)
    // Nobody waits for this; what is lost of it a poll finds.
    settle(deps, mine.tryId, takings).catch(() => undefined)
    return placedResponse(order)
  }
  await giveBack(deps, mine.tryId, takings)
  if (written === 'released') throw unavailable()
  return written === 'placed-before' ? doneBefore : 'changed'
}

/**
 * Before a merchant hears no. What an earlier try of this order has taken, whose process died, may be just what lacks: it goes back, and the
 * order is tried again. And this no must hold also if that try's insert is still on its way.
 */
async function confirmRefusal(deps: Deps, mine: Try, error: unknown): Promise<DoneBefore | 'changed'> {
  if (!(error instanceof Refusal) || error.statusCode >= 500) throw error
  if ((await takeBackFrom(deps, mine.order)) > 0) return 'changed'
  if ((await release(deps, mine)) !== null) return doneBefore
  throw error
}

/** Wakes the relay for an order with an event in its outbox. If the job is lost, a poll finds the event. */
function wakeOrderRelay(deps: Pick<Deps, 'enqueue'>, order: Pick<Order, '_id'>): void {
  deps.enqueue('outbox-relay', [
    { data: { intentIds: [], orderIds: [order._id] }, jobId: undefined, delayMs: 0 },
  ])
}
