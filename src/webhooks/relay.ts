import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { expiryJob } from '../intents/expire.ts'
import { freshPriority } from './attempts/priority.ts'
import type { Delivery } from './deliveries/delivery.ts'
import { deliveryJob, laneFor } from './deliveries/delivery-job.ts'
import { causeOf, newDeliveries, type Receiver, type Source } from './deliveries/new-deliveries.ts'
import { untried } from './endpoints/endpoint.ts'
import type { Caused } from './event.ts'
import { type IntentSource, readOutboxes } from './read-outboxes.ts'
import type { Told } from './relay-lanes.ts'
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
 * in between, it runs again: the delivery's id is made of event and endpoint, so nothing comes twice. Events for which the business has no
 * budget now stay in their outbox for the next sweep.
 */
export async function relayOutboxes(deps: Deps, { intentIds, orderIds }: ToRelay): Promise<Relayed> {
  const relayed: Relayed = { events: 0, deliveries: 0, causes: [] }
  const faults: unknown[] = []
  // What could not be stored stays in its outbox, alone, and comes again.
  for await (const { intents, orders } of readOutboxes(deps, unique({ intentIds, orderIds })))
    await relaySources(deps, intents, orders, relayed).catch((error: unknown) => void faults.push(error))
  if (faults.length > 0) throw faults[0]
  return relayed
}

/** Relays what the budget allows, and adds it to `relayed`. Throws the first fault in the end. */
async function relaySources(
  deps: Deps,
  intents: IntentSource[],
  orders: Source[],
  relayed: Relayed,
): Promise<void> {
  const all = [...intents, ...orders]
  const receivers = await receiversOf(deps, all)
  const affordable = all.flatMap((source) => {
    const free = deps.relayBudget.take(source.businessId, sizeOf(source, receivers))
    return free === null ? [] : [{ source, free }]
  })
  const stored = await Promise.allSettled(
    affordable.map(({ source, free }) => storeDeliveries(deps, source, receivers).finally(free)),
  )
  const sources = affordable.map(({ source }) => source)
  const whole = new Set(sources.filter((_, index) => stored[index]?.status === 'fulfilled'))
  const isWhole = (source: Source): boolean => whole.has(source)
  const deliveries = stored.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  nudgeFresh(deps, deliveries, receivers)
  await Promise.all([
    emptyOutboxes(intents.filter(isWhole), deps.lanes.emptyIntentOutbox),
    emptyOutboxes(orders.filter(isWhole), deps.lanes.emptyOrderOutbox),
  ])
  scheduleExpiries(deps, intents)
  const causes = [...whole].flatMap(({ outbox }) => outbox.map(causeOf))
  relayed.events += causes.length
  relayed.deliveries += deliveries.length
  relayed.causes.push(...causes)
  const broken = stored.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

/** A delivery in memory and on its way to MongoDB, whatever its event. */
const deliveryBytes = 1000

const sizeOf = ({ businessId, outbox }: Source, receivers: Map<string, Receiver[]>): number =>
  outbox.length * deliveryBytes * (receivers.get(businessId)?.length ?? 0)

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

const unique = ({ intentIds, orderIds }: ToRelay): ToRelay => ({
  intentIds: [...new Set(intentIds)],
  orderIds: [...new Set(orderIds)],
})

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
