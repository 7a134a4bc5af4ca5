import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { noHurry } from '../../group-commit/lane.ts'
import { endpointIdOf } from '../deliveries/delivery-id.ts'
import { type Endpoint, isReceiving } from '../endpoints/endpoint.ts'
import type { Which } from './claim.ts'
import { abandon, type Delivered, deliver, whyNotNow } from './deliver.ts'
import type { Asker } from './flowing.ts'

/** A job that asks for an attempt: of which delivery and re-queue, in which lane, and whether it was put off before. */
export type Asking = Which & Asker

/** As `Delivered`; or its receiver has as much in flight as it may, or belongs in the lane of the slow. */
export type InTurn =
  | Delivered
  | { outcome: 'put-off'; nextAttemptAt: Date }
  | { outcome: 'moved'; nextAttemptAt: null }

/** How long one that cannot go keeps its place in BullMQ: 200 of them are let go 800 times a second, not as fast as Redis can. */
const breathMs = 250

/** From here on MongoDB is told too, so that the sweep does not find it due, and the merchant reads the truth. */
const toldFromMs = 10_000

/**
 * Makes one attempt at a delivery when its receiver has room for it. What is decided here is decided before the claim, by this
 * process alone: it costs no attempt, and nothing is lost with it.
 */
export async function deliverInTurn(deps: Deps, asking: Asking): Promise<InTurn> {
  const endpoint = await findReceiving(deps, asking)
  if (endpoint === null) return abandon(deps, asking)
  // Asked for by hand: not behind all that waits, but in no more places.
  const hasWaited = asking.hasWaited || asking.redrives > 0
  const place = await deps.flow.enter(endpoint, { lane: asking.lane, hasWaited })
  if (place === 'slow') return moveAside()
  if ('againInMs' in place) return putOff(deps, asking, place.againInMs)
  try {
    // While it waited the merchant may have changed its address or its secret, or switched it off.
    const current = place.waited ? await findReceiving(deps, asking) : endpoint
    return current === null ? await abandon(deps, asking) : await deliver(deps, asking, current, place)
  } finally {
    place.leave()
  }
}

async function findReceiving(deps: Deps, { deliveryId }: Which): Promise<Endpoint | null> {
  const endpoint = await deps.lanes.findEndpoint(endpointIdOf(deliveryId), noHurry)
  return endpoint !== null && isReceiving(endpoint) ? endpoint : null
}

async function moveAside(): Promise<InTurn> {
  await pause(breathMs)
  return { outcome: 'moved', nextAttemptAt: null }
}

async function putOff(deps: Deps, asking: Asking, againInMs: number): Promise<InTurn> {
  const nextAttemptAt = new Date(deps.now().getTime() + againInMs)
  const why = await whyNotNow(deps, asking)
  if (why !== null) return why
  await pause(breathMs)
  if (againInMs > toldFromMs) await deps.lanes.postpone({ id: asking.deliveryId, nextAttemptAt }, noHurry)
  return { outcome: 'put-off', nextAttemptAt }
}
