import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { DeliveryLane } from '../jobs.ts'
import { type Delivered, deliverTo, whyNotNow } from './deliver.ts'
import { endpointIdOf } from './delivery.ts'
import { type Endpoint, isReceiving } from './endpoint.ts'

/** A job that asks for an attempt: of which delivery and re-queue, in which lane, and whether it was put off before. */
export interface Asking {
  deliveryId: string
  redrives: number
  lane: DeliveryLane
  hasWaited: boolean
}

/** As `Delivered`; or its receiver has as much in flight as it may, or belongs in the lane of the slow. */
export type InTurn =
  | Delivered
  | { outcome: 'put-off'; nextAttemptAt: Date }
  | { outcome: 'moved'; nextAttemptAt: null }

const noHurry = Number.POSITIVE_INFINITY

/** How long one that cannot go keeps its place in BullMQ: 200 of them are let go 800 times a second, not as fast as Redis can. */
const breathMs = 250

/** From here on MongoDB is told too, so that the sweep does not find it due, and the merchant reads the truth. */
const toldFromMs = 10_000

/**
 * Makes one attempt at a delivery, as `deliver`, when its receiver has room for it. What is decided here is decided before the
 * claim, by this process alone: it costs no attempt, and nothing is lost with it.
 */
export async function deliverInTurn(deps: Deps, asking: Asking): Promise<InTurn> {
  const endpoint = await deps.lanes.findEndpoint(endpointIdOf(asking.deliveryId), noHurry)
  if (endpoint === null || !isReceiving(endpoint)) return deliverTo(deps, asking, endpoint)
  // Asked for by hand: not behind all that waits, but in no more places.
  const got = await deps.flow.enter(endpoint, asking.lane, asking.hasWaited || asking.redrives > 0)
  if (got === 'slow') return moveAside()
  if (got === 'later') return putOff(deps, asking, endpoint)
  try {
    return await deliverTo(deps, asking, endpoint)
  } finally {
    got.leave()
  }
}

async function moveAside(): Promise<InTurn> {
  await pause(breathMs)
  return { outcome: 'moved', nextAttemptAt: null }
}

async function putOff(deps: Deps, asking: Asking, endpoint: Endpoint): Promise<InTurn> {
  const why = await whyNotNow(deps, asking)
  if (why !== null) return why
  await pause(breathMs)
  const waitMs = deps.flow.putOff(endpoint)
  const nextAttemptAt = new Date(deps.now().getTime() + waitMs)
  if (waitMs > toldFromMs) await deps.lanes.postpone({ id: asking.deliveryId, nextAttemptAt }, noHurry)
  return { outcome: 'put-off', nextAttemptAt }
}
