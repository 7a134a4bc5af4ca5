import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, refuse, unavailable } from '../../errors.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import { withinSandboxDay } from '../../quotas/sandbox-day.ts'
import { newId } from '../../security/ids.ts'
import { findAnyLine } from './any-line.ts'
import type { OrderAttempt } from './attempt.ts'
import { draftOrder } from './draft.ts'
import { giveBack } from './give-back.ts'
import { findLines } from './lines.ts'
import type { Order } from './order.ts'
import type { OrderRequest } from './parse-simulation.ts'
import { placedResponse } from './recall.ts'
import { recordOrder } from './record.ts'
import { releaseAttempt } from './release.ts'
import { resolveReservationsOf } from './reservations.ts'
import { planReservations, reserve } from './reserve.ts'
import { settle } from './settle.ts'
import { checkStock } from './shortfall.ts'

/**
 * The maximum length of the random pause after the first attempt. With each further attempt, the maximum grows by the
 * same amount. This amount is twice the time for which an order usually holds its units, so most orders need only one
 * more attempt.
 */
const minPauseMs = 50
/**
 * The upper limit of the pauses. If units are held for longer than this, the process that reserved them has most likely
 * died, and a poll gives the units back.
 */
const maxPauseMs = 500
/**
 * The minimum time that a request must have left in order to start an attempt. With less time, the merchant could
 * receive a timeout instead of the result.
 */
const minAttemptMs = 1000

type Placed = Record<string, unknown> | DoneBefore
/**
 * The reason why the order needs another attempt: either a product was changed after it was read, or other orders hold
 * the missing units.
 */
type RetryReason = 'changed' | 'held'

/**
 * Places an order. Reserves the units, then inserts the order together with its `order.new` event in ONE write, and
 * then wakes the relay. Even if the process dies in between, either the order is placed, or the units are given back to
 * the stock (docs/merchants/store.md). Throws the errors of `findLines`, `findAnyLine`, `draftOrder` and `checkStock`,
 * RATE_LIMITED if the sandbox's daily quota is used up, and SERVICE_UNAVAILABLE if other orders hold the units or keep
 * changing the products until the deadline.
 */
export const placeOrder = (deps: Deps, caller: Caller, request: OrderRequest, effect: Effect): Promise<Placed> =>
  withinSandboxDay(deps, caller, 1, () => placeWithRetries(deps, caller, request, effect))

async function placeWithRetries(deps: Deps, caller: Caller, request: OrderRequest, effect: Effect): Promise<Placed> {
  const { businessId, sandbox } = caller
  const hasTime = () => performance.now() < effect.deadlineAt - minAttemptMs
  for (let attempts = 1; hasTime(); attempts += 1) {
    const attempt = { orderId: effect.id, businessId, sandbox, attemptId: newId() }
    const outcome = await deps.orderOneAtATime(businessId, async () =>
      // The time is checked again, because waiting for the business's other orders may have used it up.
      hasTime()
        ? attemptOrder(deps, caller, request, attempt, effect).catch((error: unknown) =>
            confirmRefusal(deps, attempt, error),
          )
        : 'held',
    )
    if (outcome !== 'changed' && outcome !== 'held') return outcome
    // An earlier attempt at this order may still hold the units if its process died. If so, they are now given back.
    if (outcome === 'held') await resolveReservationsOf(deps, effect.id)
    await pause(Math.random() * Math.min(maxPauseMs, minPauseMs * attempts))
  }
  throw refuse('SERVICE_UNAVAILABLE', {
    message:
      'Concurrent requests keep changing these products. No order was placed. Repeat the request with the same idempotency key.',
    retryAfterSeconds: 2,
  })
}

async function attemptOrder(
  deps: Deps,
  caller: Caller,
  { items, customer }: OrderRequest,
  attempt: OrderAttempt,
  effect: Effect,
): Promise<Placed | RetryReason> {
  const lines =
    items === null ? await findAnyLine(deps, caller, effect.deadlineAt) : await findLines(deps, caller, items)
  if (lines === 'held' || lines === 'changed') return lines
  const order = draftOrder(deps, attempt, lines, { customer, cause: effect.cause })
  if (checkStock(lines) === 'held') return 'held'
  const reservations = planReservations(lines)
  if (!(await reserve(deps, attempt, reservations, effect.deadlineAt))) return 'changed'
  const recorded = await recordOrder(deps, order, effect.deadlineAt)
  if (recorded === 'placed') {
    wakeOrderRelay(deps, order)
    // The response does not wait until the reservations are settled. If settling them fails, a poll settles them.
    settle(deps, attempt.attemptId, reservations).catch(() => undefined)
    return placedResponse(order)
  }
  await giveBack(deps, attempt.attemptId, reservations)
  if (recorded === 'released') throw unavailable()
  return recorded === 'placed-before' ? doneBefore : 'changed'
}

/**
 * Ensures, before the merchant receives an error, that this error is final. If the process of an earlier attempt at
 * this order died and the attempt still holds units, gives those units back to the stock and returns 'changed', so that
 * another attempt is made. Otherwise, adds the current attempt to the order's placeholder (release.ts), so that a
 * delayed insert of this attempt cannot place the order after the error.
 */
async function confirmRefusal(deps: Deps, attempt: OrderAttempt, error: unknown): Promise<DoneBefore | 'changed'> {
  if (!(error instanceof Refusal) || error.statusCode >= 500) throw error
  if ((await resolveReservationsOf(deps, attempt.orderId)) > 0) return 'changed'
  if ((await releaseAttempt(deps, attempt)) !== null) return doneBefore
  throw error
}

/** Wakes the relay for an order whose outbox contains an event. If the job is lost, a poll finds the event. */
function wakeOrderRelay(deps: Pick<Deps, 'enqueue'>, order: Pick<Order, '_id'>): void {
  deps.enqueue('outbox-relay', [{ data: { intentIds: [], orderIds: [order._id] }, jobId: undefined, delayMs: 0 }])
}
