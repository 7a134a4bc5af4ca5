import { audit } from './audit.ts'
import { type Chance, chanceOf } from './chance.ts'
import { openClient } from './client.ts'
import { type OperationName, ofTheSandbox, operations, weightsWith } from './operations.ts'
import { paced } from './paced.ts'
import { type Admin, type Provisioned, provision, provisioned, settleIn } from './provision.ts'
import type { Receivers } from './receivers.ts'
import type { Scene } from './scene.ts'
import { createSend } from './send.ts'
import type { Place } from './world.ts'

export interface TrafficAsked {
  seed: number
  receivers: Receivers
  /** Of every web, living or not. */
  origins: () => string[]
  admin: Admin
  /** By how much the service's clock is ahead of this machine's. */
  clockAheadMs: () => number
  /** Operations begun in a second; an operation is one call or some. */
  perSecond: number
  /** What is done ten times as often as it would be. */
  often: readonly OperationName[]
}

/** Traffic that runs. */
export interface Traffic {
  provisioned: Provisioned
  /** Begins nothing more, and waits until what is open is answered, a minute at most. Receivers calm down. */
  settle(): Promise<void>
  /** Reads everything through the public API. When all is quiet. */
  audit(): Promise<void>
  close(): Promise<void>
}

/** So many operations are under way at a time; while the service stands still, no more are begun. */
const mostAtOnce = 48
const settleMs = 60_000

/**
 * Sends seeded random traffic until it is settled: the same seed tries the same operations in the same order, whatever is answered. Resolves
 * once everybody is there and traffic runs.
 */
export async function startTraffic(asked: TrafficAsked): Promise<Traffic> {
  const { seed, receivers, admin, clockAheadMs, perSecond } = asked
  const { record } = receivers
  const { ask, close } = openClient({ ...asked, record })
  let endsAt = Number.POSITIVE_INFINITY
  const now = () => Date.now() + clockAheadMs()
  const send = createSend(ask, now, () => endsAt)
  const world = await provision(admin, seed, { receiversOrigin: receivers.origin, now })
  for (const wallet of world.providerWallets) receivers.wallets.set(wallet.phone, { ...wallet })

  /** Each operation draws from a generator of its own, so that no answer changes what the next one tries. */
  function sceneOf(operation: number, place: Place, chance: Chance): Scene {
    let keys = 0
    const newKey = () => {
      keys += 1
      return `k${seed}.${operation}.${keys}`
    }
    return { world, place, key: chance.pick(place.keys), operation, chance, ask, send, newKey }
  }

  const stocks: Provisioned['stock'] = []
  for (const [index, place] of world.places.entries())
    stocks.push(...(await settleIn(place, sceneOf(-1 - index, place, chanceOf(seed, 'settle in', index)))))

  const sandboxes = world.places.filter(({ sandbox }) => sandbox)
  const weights = weightsWith(asked.often)
  const begin = (operation: number): Promise<unknown> => {
    const chance = chanceOf(seed, 'operation', operation)
    const name = chance.weighted(weights)
    const isAtHome = ofTheSandbox.includes(name) && chance.is(0.97)
    const place = chance.pick(isAtHome ? sandboxes : world.places)
    const [, operate] = operations[name]
    return operate(sceneOf(operation, place, chance))
  }
  const isOver = () => endsAt !== Number.POSITIVE_INFINITY
  const running = paced({ perSecond, mostAtOnce, isOver, begin })

  return {
    provisioned: provisioned(world, stocks),
    async settle() {
      endsAt = Date.now() + settleMs
      receivers.calm()
      const faults = await running
      if (faults.length > 0) throw new AggregateError(faults, 'the traffic itself failed')
    },
    audit: () => audit({ world, ask, seed }),
    close,
  }
}
