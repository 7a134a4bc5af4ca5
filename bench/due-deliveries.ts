import { setTimeout as pause } from 'node:timers/promises'
import type { DeliveryStatus } from '../schemas/list-deliveries.ts'
import { scopes } from '../schemas/scopes.ts'
import { noLimitsOfItsOwn } from '../src/businesses/business.ts'
import type { Caller } from '../src/businesses/caller.ts'
import { createBusiness } from '../src/businesses/create-business.ts'
import { readConfig } from '../src/config.ts'
import { type Deps, openDeps } from '../src/deps.ts'
import type { Effect } from '../src/idempotency/effect.ts'
import { newId } from '../src/ids.ts'
import { makeIndexes } from '../src/indexes.ts'
import { createIntent } from '../src/intents/create.ts'
import { parseCreate } from '../src/intents/parse-create.ts'
import { createLog } from '../src/log.ts'
import { createMetrics } from '../src/metrics/metrics.ts'
import { type Delivery, openStatuses } from '../src/webhooks/deliveries/delivery.ts'
import { createEndpoint } from '../src/webhooks/endpoints/create.ts'
import { relayOutboxes } from '../src/webhooks/relay.ts'
import { order } from './order.ts'

const BUSINESSES = 4
const ENDPOINTS_EACH = 5
/** As many intents as one job of the relay carries. */
const RELAYED_TOGETHER = 500

export interface House {
  urls: string[]
  /** Makes that many deliveries due, spread evenly; their jobs are on their way. */
  makeDue(count: number): Promise<void>
  openDeliveries(): Promise<number>
  /** Those of a status that nobody is attempting. */
  countIn(status: DeliveryStatus): Promise<number>
  /** The body of one of them. */
  sampleBody(): Promise<string>
  close(): Promise<void>
}

/** Some merchants with their endpoints. All is made by the service's own operations, so it has their shape. */
export async function openHouse(environment: Record<string, string>, address: string): Promise<House> {
  const config = readConfig(environment)
  const log = createLog('warn', 'bench', null)
  await makeIndexes(config.mongodbUrl, log)
  const deps = await openDeps(config, log, createMetrics(), 'worker')
  const callers = await Promise.all(Array.from({ length: BUSINESSES }, () => newCaller(deps)))
  const urls: string[] = []
  for (const caller of callers)
    for (let place = 0; place < ENDPOINTS_EACH; place += 1) {
      const url = `${address}hooks/${urls.length}`
      await createEndpoint(deps, caller, { url, events: ['payment.created'] }, newEffect())
      urls.push(url)
    }
  return {
    urls,
    async makeDue(count) {
      while (!(await deps.queues.ping().catch(() => false))) await pause(20)
      const ids = await createIntents(deps, callers, count / ENDPOINTS_EACH)
      while (ids.length > 0)
        await relayOutboxes(deps, { intentIds: ids.splice(0, RELAYED_TOGETHER), orderIds: [] })
    },
    openDeliveries: () => deps.Delivery.countDocuments({ status: { $in: openStatuses } }),
    countIn: (status) => deps.Delivery.countDocuments({ status, lease: null }),
    async sampleBody() {
      const delivery = await deps.Delivery.findOne({}, { body: 1 }).lean<Pick<Delivery, 'body'> | null>()
      return delivery?.body ?? ''
    },
    close: () => deps.close(),
  }
}

async function newCaller(deps: Deps): Promise<Caller> {
  const { _id: businessId } = await createBusiness(deps, { name: 'Boutique', liveApproved: false })
  return {
    keyId: newId(),
    businessId,
    sandbox: true,
    kind: 'secret',
    scopes: new Set(scopes),
    limits: noLimitsOfItsOwn,
    ip: '127.0.0.1',
  }
}

async function createIntents(deps: Deps, callers: Caller[], count: number): Promise<string[]> {
  const made: string[] = []
  const create = async (caller: Caller) => {
    const effect = newEffect()
    await createIntent(deps, caller, parseCreate(deps, caller.sandbox, order), effect)
    made.push(effect.id)
  }
  const each = Array.from({ length: count / callers.length }, () => callers).flat()
  await Promise.all(each.map(create))
  return made
}

/** Without a claim: no retry needs the response. */
const newEffect = (): Effect => ({
  id: newId(),
  until: Number.POSITIVE_INFINITY,
  cause: null,
  seal: () => '',
})
