import { type Chance, chanceOf } from '../../support/chance.ts'
import { audit } from './audit.ts'
import { openClient } from './client.ts'
import { type Context, createSend, type Tenant } from './context.ts'
import type { EndpointServers } from './endpoint-servers.ts'
import { type OperationName, ofTheSandbox, operations, weightsWith } from './operations.ts'
import { paced } from './paced.ts'
import { type Admin, type Provisioned, provision, provisioned, setUp } from './provision.ts'
import { startReaders } from './readers.ts'

interface TrafficOptions {
  seed: number
  endpointServers: EndpointServers
  origins: readonly string[]
  admin: Admin
  clockAheadMs: () => number
  perSecond: number
  often: readonly OperationName[]
}

export type Traffic = Awaited<ReturnType<typeof startTraffic>>

/** Limits the operations that wait while the service is frozen, or slower than the traffic. */
const maxConcurrent = 16
const settleMs = 60_000

/** Starts random traffic, which runs until `settle`. The same seed begins the same operations in the same order. */
export async function startTraffic(options: TrafficOptions) {
  const { seed, endpointServers, admin, clockAheadMs, perSecond } = options
  const { makeCall, close } = openClient({ ...options, record: endpointServers.record })
  let endsAt = Number.POSITIVE_INFINITY
  const now = () => Date.now() + clockAheadMs()
  const send = createSend(makeCall, now, () => endsAt)
  const world = await provision(admin, seed, { endpointsOrigin: endpointServers.origin, now })
  for (const wallet of world.providerWallets) endpointServers.wallets.set(wallet.phone, { ...wallet })

  /** Each operation has its own generator, so that no response changes later operations. */
  function contextOf(operation: number, tenant: Tenant, chance: Chance): Context {
    let keys = 0
    const newKey = () => {
      keys += 1
      return `k${seed}.${operation}.${keys}`
    }
    return { world, tenant, key: chance.pick(tenant.keys), operation, chance, makeCall, send, newKey }
  }

  const stocks: Provisioned['stock'] = []
  for (const [index, tenant] of world.tenants.entries())
    stocks.push(...(await setUp(tenant, contextOf(-1 - index, tenant, chanceOf(seed, 'settle in', index)))))
  const sandboxes = world.tenants.filter(({ sandbox }) => sandbox)
  const weights = weightsWith(options.often)
  const begin = (operation: number): Promise<unknown> => {
    const chance = chanceOf(seed, 'operation', operation)
    const name = chance.weighted(weights)
    const isInSandbox = ofTheSandbox.includes(name) && chance.is(0.97)
    const tenant = chance.pick(isInSandbox ? sandboxes : world.tenants)
    return operations[name][1](contextOf(operation, tenant, chance))
  }
  const isOver = () => endsAt !== Number.POSITIVE_INFINITY
  const readers = startReaders(world.tenants, makeCall, seed)
  const running = paced({ perSecond, maxConcurrent, isOver, begin })
  return {
    provisioned: provisioned(world, stocks),
    /** Begins no more operations, calms the endpoints, and waits for running operations, at most a minute. */
    async settle() {
      endsAt = Date.now() + settleMs
      endpointServers.calm()
      const errors = await running
      if (errors.length > 0) throw new AggregateError(errors, 'operations of the traffic failed')
    },
    /** Reads everything through the public API. */
    async audit() {
      await readers.finish()
      await audit(world, makeCall, seed)
    },
    async close() {
      readers.stop()
      await close()
    },
  }
}
