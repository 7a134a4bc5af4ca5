import { setTimeout as pause } from 'node:timers/promises'
import { apiScopes } from '../../schemas/scopes.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { issueApiKey } from '../../src/businesses/change-key.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { tester } from '../support/service.ts'
import { createClient } from './stage/client.ts'
import type { Stage } from './stage/stage.ts'

export const neighbourly = ['create', 'read', 'list', 'webhook'] as const
export type Neighbourly = (typeof neighbourly)[number]
export type Waits = Record<Neighbourly, number[]>
export type Neighbour = { alone: Waits; beside: Waits; refused: string[] }
const everyMs = 250
const warmUpMs = 3_000
const aloneMs = 8_000
const webhookLimitMs = 60_000
const noWaits = (): Waits => ({ create: [], read: [], list: [], webhook: [] })

export async function startNeighbour({ deps, origin, endpointServers }: Stage, isProduction: boolean) {
  const { _id: businessId } = await createBusiness(deps, { name: 'Neighbour', liveApproved: true }, tester)
  const rights = { scopes: [...apiScopes], ipAllowlist: [] }
  const issued = await issueApiKey(deps, { businessId, mode: 'live', kind: 'secret', ...rights }, tester)
  if (issued === null) throw new Error('no business')
  const refused: string[] = []
  const over = new AbortController()
  const client = createClient(origin, issued.key, 'neighbour')
  let [waits, isListing] = [noWaits(), false]
  async function call(what: Neighbourly, ...request: Parameters<typeof client>) {
    const into = waits[what]
    const startedAt = performance.now()
    try {
      const { data } = await client(...request)
      into.push(performance.now() - startedAt)
      return data
    } catch (error) {
      refused.push(`${what}: ${String(error)}`)
      return null
    }
  }
  async function act(): Promise<void> {
    const intent = await call('create', 'POST', '/intents', { amount: 500 })
    if (intent === null) return
    await call('read', 'GET', `/intents/${String(intent.referenceNumber)}`)
    // A business may run two lists at a time, so the neighbour reads only one page at a time.
    if (isListing) return
    isListing = true
    await call('list', 'GET', '/intents?limit=5')
    isListing = false
  }
  async function actSteadily(): Promise<void> {
    const acts: Promise<void>[] = []
    while (!over.signal.aborted) {
      acts.push(act())
      await pause(everyMs)
    }
    await Promise.all(acts)
  }
  // In production mode, no endpoint on this machine can be reached.
  const endpoint = { url: `http://${endpointServers.allowedHost}/hook`, events: ['payment.created'] }
  if (!isProduction) await call('webhook', 'POST', '/webhooks/endpoints', endpoint)
  const acting = actSteadily()
  await pause(warmUpMs)
  const aloneFrom = deps.now()
  waits = noWaits()
  const alone = waits
  await pause(aloneMs)
  const besideFrom = deps.now()
  waits = noWaits()
  const beside = waits
  return {
    async end() {
      over.abort()
      await acting
      const deliveries = isProduction ? [] : await webhooksOf(deps, businessId)
      for (const { referenceNumber, createdAt, deliveredAt } of deliveries)
        if (deliveredAt === null) refused.push(`webhook: the one of ${referenceNumber} did not arrive`)
        else if (createdAt >= aloneFrom)
          (createdAt < besideFrom ? alone : beside).webhook.push(deliveredAt.getTime() - createdAt.getTime())
      return { alone, beside, refused }
    },
  }
}

type DeliveryTimes = Pick<Delivery, 'referenceNumber' | 'createdAt' | 'deliveredAt'>

async function webhooksOf({ Intent, Delivery: Deliveries }: Stage['deps'], businessId: string) {
  const deadline = performance.now() + webhookLimitMs
  for (;;) {
    const intents = await Intent.countDocuments({ businessId })
    const fields = { referenceNumber: 1, createdAt: 1, deliveredAt: 1 } as const
    const found = await Deliveries.find({ businessId }, fields).lean<DeliveryTimes[]>()
    const isDone = found.length === intents && found.every(({ deliveredAt }) => deliveredAt !== null)
    if (isDone || performance.now() > deadline) return found
    await pause(200)
  }
}
