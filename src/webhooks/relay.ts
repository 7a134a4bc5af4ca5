import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { expiryJob } from '../intents/expire.ts'
import { freshPriority } from './attempts/priority.ts'
import type { Delivery } from './deliveries/delivery.ts'
import { deliveryJob, laneFor } from './deliveries/delivery-job.ts'
import { newDeliveries, type Receiver, type Source } from './deliveries/new-deliveries.ts'
import { untried } from './endpoints/endpoint.ts'
import type { Caused } from './event.ts'
import type { IntentSource, Told } from './relay-lanes.ts'
import { tracedRelay } from './trace-relay.ts'

/** Documents whose outboxes may hold events. */
export interface ToRelay {
  intentIds: string[]
  orderIds: string[]
}

export interface Relayed {
  events: number
  deliveries: number
  /** Of each of the events. */
  causes: Caused[]
}

/**
 * Hands on the events of some intents and orders: one delivery per subscribed endpoint, then the event leaves the outbox. Killed
 * in between, it runs again: the delivery's id is made of event and endpoint, so nothing comes twice.
 */
export async function relayOutboxes(deps: Deps, { intentIds, orderIds }: ToRelay): Promise<Relayed> {
  const [intents, orders] = await Promise.all([
    sourcesOf(intentIds, deps.lanes.findIntentSource),
    sourcesOf(orderIds, deps.lanes.findOrderSource),
  ])
  const sources = [...intents, ...orders]
  if (sources.length === 0) return { events: 0, deliveries: 0, causes: [] }
  const receivers = await receiversOf(deps, sources)
  const stored = await Promise.allSettled(sources.map((source) => storeDeliveries(deps, source, receivers)))
  const whole = new Set(sources.filter((_, index) => stored[index]?.status === 'fulfilled'))
  const isWhole = (source: Source): boolean => whole.has(source)
  const deliveries = stored.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  nudgeFresh(deps, deliveries, receivers)
  await Promise.all([
    emptyOutboxes(intents.filter(isWhole), deps.lanes.emptyIntentOutbox),
    emptyOutboxes(orders.filter(isWhole), deps.lanes.emptyOrderOutbox),
  ])
  scheduleExpiries(deps, intents)
  // What could not be stored stays in its outbox, alone, and comes again.
  const broken = stored.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  const causes = sources.flatMap(({ outbox }) => outbox)
  return { events: causes.length, deliveries: deliveries.length, causes }
}

/** What waited so long unsent comes again, with the time of then: no delivery is stored minutes after it says that it was made. */
const unsentAtMostMs = 60_000

const storeDeliveries = (
  deps: Deps,
  stored: Source,
  receivers: Map<string, Receiver[]>,
): Promise<Delivery[]> =>
  tracedRelay(deps, stored, async (source) => {
    const deliveries = newDeliveries(source, receivers, deps.now())
    const until = performance.now() + unsentAtMostMs
    await Promise.all(deliveries.map((delivery) => deps.lanes.insertDelivery(delivery, until)))
    return deliveries
  })

/** Wakes the workers, each delivery in its receiver's lane; who sends more stands behind who sends less. */
function nudgeFresh(deps: Deps, deliveries: Delivery[], receivers: Map<string, Receiver[]>): void {
  const now = deps.now()
  for (const [businessId, some] of groupBy(deliveries, (delivery) => delivery.businessId)) {
    const priority = freshPriority(deps.recentSenders.add(businessId, some.length))
    const health = new Map(receivers.get(businessId)?.map((receiver) => [receiver._id, receiver.health]))
    const lanes = groupBy(some, ({ endpointId }) => laneFor(health.get(endpointId) ?? untried))
    for (const [lane, them] of lanes)
      deps.nudge(
        lane,
        them.map((delivery) => ({ ...deliveryJob(delivery, now), priority })),
      )
  }
}

/** Those of the documents that have anything to tell. */
async function sourcesOf<Kind extends Source>(
  ids: string[],
  find: Lane<string, Kind | null>,
): Promise<Kind[]> {
  const found = await Promise.all([...new Set(ids)].map((id) => find(id, noHurry)))
  return found.filter((source) => source !== null && source.outbox.length > 0) as Kind[]
}

/** Just the events that were read: one that came meanwhile stays. */
const emptyOutboxes = (sources: Source[], empty: Lane<Told, void>): Promise<unknown> =>
  Promise.all(sources.map(({ _id, outbox }) => empty({ _id, events: outbox.map(({ id }) => id) }, noHurry)))

async function receiversOf(deps: Deps, sources: Source[]): Promise<Map<string, Receiver[]>> {
  const businessIds = [...new Set(sources.map(({ businessId }) => businessId))]
  const found = await Promise.all(businessIds.map((id) => deps.lanes.findReceivers(id, noHurry)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/** A new intent gets its delayed job here, off the path of the request that made it. */
function scheduleExpiries(deps: Deps, intents: IntentSource[]): void {
  const created = intents.filter((intent) => intent.outbox.some((event) => event.event === 'payment.created'))
  if (created.length > 0)
    deps.nudge(
      'intent-expiry',
      created.map((intent) => expiryJob(intent, deps.now())),
    )
}
