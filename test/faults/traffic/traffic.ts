import { setTimeout as sleep } from 'node:timers/promises'
import { type Chance, chanceOf } from '../../support/chance.ts'
import { openClient } from './client.ts'
import { type Context, createSend, type Tenant } from './context.ts'
import type { EndpointServers } from './endpoint-servers.ts'
import { ofIntents } from './operations/intents.ts'
import { ofCustomers } from './operations/pay.ts'
import { ofStore } from './operations/store.ts'
import { ofStrangers } from './operations/strangers.ts'
import { ofSupport } from './operations/support.ts'
import { ofTill } from './operations/till.ts'
import { ofWebhooks } from './operations/webhooks.ts'
import { type Admin, type Provisioned, provision, provisioned, setUp } from './provision.ts'
import { audit, startReaders } from './reading.ts'

interface TrafficOptions {
  seed: number
  endpointServers: EndpointServers
  origins: readonly string[]
  admin: Admin
  clockAheadMs: () => number
  perSecond: number
  often: readonly OperationName[]
}

type Operation = (context: Context) => Promise<unknown>

const operations = {
  ...ofIntents,
  ...ofCustomers,
  ...ofWebhooks,
  ...ofStore,
  ...ofStrangers,
  ...ofSupport,
  ...ofTill,
} as const satisfies { [name: string]: readonly [weight: number, operate: Operation] }

export type OperationName = keyof typeof operations
/** Refused to live keys, so the traffic rarely sends these with one. */
const ofTheSandbox: readonly OperationName[] = ['simulatePayment', 'placeOrder']

const weightsWith = (often: readonly string[]) =>
  Object.fromEntries(
    Object.entries(operations).map(([name, [weight]]) => [name, often.includes(name) ? 10 * weight : weight]),
  ) as { [name in OperationName]: number }

const maxConcurrent = 16
const tickMs = 20
const settleMs = 60_000
export type Traffic = Awaited<ReturnType<typeof startTraffic>>

export async function startTraffic(options: TrafficOptions) {
  const { seed, endpointServers, admin, clockAheadMs, perSecond } = options
  const { makeCall, close } = openClient({ ...options, record: endpointServers.record })
  let endsAt = Number.POSITIVE_INFINITY
  const now = () => Date.now() + clockAheadMs()
  const send = createSend(makeCall, now, () => endsAt)
  const world = await provision(admin, seed, { endpointsOrigin: endpointServers.origin, now })
  for (const wallet of world.providerWallets) endpointServers.wallets.set(wallet.phone, { ...wallet })
  /** Each operation has its own random generator, so that no response changes later operations. */
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
  function begin(operation: number): Promise<unknown> {
    const chance = chanceOf(seed, 'operation', operation)
    const name = chance.weighted(weights)
    const tenant = chance.pick(ofTheSandbox.includes(name) && chance.is(0.97) ? sandboxes : world.tenants)
    return operations[name][1](contextOf(operation, tenant, chance))
  }
  async function run(): Promise<unknown[]> {
    const running = new Set<Promise<unknown>>()
    const errors: unknown[] = []
    let [due, begun, checkedAt] = [0, 0, performance.now()]
    while (endsAt === Number.POSITIVE_INFINITY) {
      await sleep(tickMs)
      const at = performance.now()
      due += ((at - checkedAt) * perSecond) / 1000
      checkedAt = at
      for (; due >= 1 && running.size < maxConcurrent; due -= 1) {
        begun += 1
        const done = begin(begun)
          .catch((error: unknown) => errors.push(error))
          .finally(() => running.delete(done))
        running.add(done)
      }
      due = Math.min(due, 1)
    }
    await Promise.all(running)
    return errors
  }
  const readers = startReaders(world.tenants, makeCall, seed)
  const running = run()
  return {
    provisioned: provisioned(world, stocks),
    async settle() {
      endsAt = Date.now() + settleMs
      endpointServers.calm()
      const errors = await running
      if (errors.length > 0) throw new AggregateError(errors, 'operations of the traffic failed')
    },
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
