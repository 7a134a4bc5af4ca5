import { type Chance, chanceOf } from '../../support/chance.ts'
import { audit } from './audit.ts'
import { openClient } from './client.ts'
import { type OperationName, ofTheSandbox, operations, weightsWith } from './operations.ts'
import { paced } from './paced.ts'
import { type Admin, type Provisioned, provision, provisioned, settleIn } from './provision.ts'
import type { Receivers } from './receivers.ts'
import type { Scene } from './scene.ts'
import { createSend } from './send.ts'
import type { Place } from './world.ts'

interface TrafficAsked {
  seed: number
  receivers: Receivers
  origins: () => string[]
  admin: Admin
  clockAheadMs: () => number
  perSecond: number
  often: readonly OperationName[]
}

export interface Traffic {
  provisioned: Provisioned
  /** Begins nothing more, and waits a minute at most for what is running. Endpoints calm down. */
  settle(): Promise<void>
  /** Reads everything through the public API. */
  audit(): Promise<void>
  close(): Promise<void>
}

/** While the service is frozen, no more operations are begun. */
const mostAtOnce = 48
const settleMs = 60_000

/** Sends random traffic until it settles. The same seed tries the same operations in the same order. Resolves when it runs. */
export async function startTraffic(asked: TrafficAsked): Promise<Traffic> {
  const { seed, receivers, admin, clockAheadMs, perSecond } = asked
  const { ask, close } = openClient({ ...asked, record: receivers.record })
  let endsAt = Number.POSITIVE_INFINITY
  const now = () => Date.now() + clockAheadMs()
  const send = createSend(ask, now, () => endsAt)
  const world = await provision(admin, seed, { receiversOrigin: receivers.origin, now })
  for (const wallet of world.providerWallets) receivers.wallets.set(wallet.phone, { ...wallet })

  /** Each operation has its own generator, so that no response changes the next one. */
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
    const isInSandbox = ofTheSandbox.includes(name) && chance.is(0.97)
    const place = chance.pick(isInSandbox ? sandboxes : world.places)
    return operations[name][1](sceneOf(operation, place, chance))
  }
  const isOver = () => endsAt !== Number.POSITIVE_INFINITY
  const running = paced({ perSecond, mostAtOnce, isOver, begin })
  return {
    provisioned: provisioned(world, stocks),
    async settle() {
      endsAt = Date.now() + settleMs
      receivers.calm()
      const errors = await running
      if (errors.length > 0) throw new AggregateError(errors, 'operations of the traffic failed')
    },
    audit: () => audit({ world, ask, seed }),
    close,
  }
}
