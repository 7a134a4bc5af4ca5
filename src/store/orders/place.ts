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
 * The maximum of the random pause after the first attempt, and the amount by which it grows with each further attempt.
 * It is twice as long as an order usually holds its units, so that most orders need only one more attempt.
 */
const minPauseMs = 50
/** If units are held for longer than this, the process that held them has died, and a poll gives them back. */
const maxPauseMs = 500
/**
 * An attempt does not start if less time than this is left, so that the merchant receives the result instead of a
 * timeout.
 */
const minAttemptMs = 1000

type Placed = Record<string, unknown> | DoneBefore
/**
 * The reason why the order needs another attempt: either a product changed after it was read, or other orders hold the
 * missing units.
 */
type RetryReason = 'changed' | 'held'

/**
 * Places an order: reserves the units, inserts the order with its `order.new` event in ONE write, and wakes the relay.
 * Even if the process dies midway, either the order is placed or the units are given back (docs/merchants/store.md).
 * Throws the errors of `findLines`, `findAnyLine`, `draftOrder` and `checkStock`, RATE_LIMITED if the daily quota is
 * used up, and SERVICE_UNAVAILABLE if other orders hold the stock until the deadline.
 */
export const placeOrder = (
  deps: Deps,
  caller: Caller,
  request: OrderRequest,
  effect: Effect,
): Promise<Placed> => withinSandboxDay(deps, caller, 1, () => placeWithRetries(deps, caller, request, effect))

async function placeWithRetries(
  deps: Deps,
  caller: Caller,
  request: OrderRequest,
  effect: Effect,
): Promise<Placed> {
  const { businessId, sandbox } = caller
  const hasTime = () => performance.now() < effect.deadlineAt - minAttemptMs
  for (let attempts = 1; hasTime(); attempts += 1) {
    const attempt = { orderId: effect.id, businessId, sandbox, attemptId: newId() }
    const outcome = await deps.orderOneAtATime(businessId, async () =>
      // Waiting for a slot may have used up the remaining time.
      hasTime()
        ? attemptOrder(deps, caller, request, attempt, effect).catch((error: unknown) =>
            confirmRefusal(deps, attempt, error),
          )
        : 'held',
    )
    if (outcome !== 'changed' && outcome !== 'held') return outcome
    // The units may still be held by an earlier attempt at this order whose process died.
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
  const lines = items === null ? await findAnyLine(deps, caller) : await findLines(deps, caller, items)
  if (lines === 'held') return 'held'
  const order = draftOrder(deps, attempt, lines, { customer, cause: effect.cause })
  if (checkStock(lines) === 'held') return 'held'
  const reservations = planReservations(lines)
  if (!(await reserve(deps, attempt, reservations, effect.deadlineAt))) return 'changed'
  const recorded = await recordOrder(deps, order, effect.deadlineAt)
  if (recorded === 'placed') {
    wakeOrderRelay(deps, order)
    // The response does not wait for the reservations to be settled. If this fails, a poll settles them.
    settle(deps, attempt.attemptId, reservations).catch(() => undefined)
    return placedResponse(order)
  }
  await giveBack(deps, attempt.attemptId, reservations)
  if (recorded === 'released') throw unavailable()
  return recorded === 'placed-before' ? doneBefore : 'changed'
}

/**
 * Called before the merchant receives an error. If an earlier attempt at this order, whose process died, still holds
 * the missing units, gives them back to the stock, so that the order is attempted again. Otherwise, releases the
 * current attempt, so that the error stays correct even if a delayed insert of this attempt still arrives.
 */
async function confirmRefusal(
  deps: Deps,
  attempt: OrderAttempt,
  error: unknown,
): Promise<DoneBefore | 'changed'> {
  if (!(error instanceof Refusal) || error.statusCode >= 500) throw error
  if ((await resolveReservationsOf(deps, attempt.orderId)) > 0) return 'changed'
  if ((await releaseAttempt(deps, attempt)) !== null) return doneBefore
  throw error
}

/** Wakes the relay for an order whose outbox contains an event. If the job is lost, a poll finds the event. */
function wakeOrderRelay(deps: Pick<Deps, 'enqueue'>, order: Pick<Order, '_id'>): void {
  deps.enqueue('outbox-relay', [
    { data: { intentIds: [], orderIds: [order._id] }, jobId: undefined, delayMs: 0 },
  ])
}
