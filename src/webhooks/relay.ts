import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { noHurry } from '../group-commit.ts'
import { expiryJob } from '../intents/expire.ts'
import { freshPriority } from './attempts/priority.ts'
import type { Delivery } from './deliveries/delivery.ts'
import { deliveryJob, laneFor } from './deliveries/delivery-job.ts'
import { deliveriesOf, type Receiver, type Source } from './deliveries/new-deliveries.ts'
import { untried } from './endpoints/endpoint.ts'

export interface Relayed {
  events: number
  deliveries: number
}

/**
 * Hands on the events of some intents: one delivery per subscribed endpoint, then the event leaves the outbox. Killed
 * in between, it runs again: the delivery's id is made of event and endpoint, so nothing comes twice.
 */
export async function relayOutboxes(deps: Deps, intentIds: string[]): Promise<Relayed> {
  const sources = await sourcesOf(deps, intentIds)
  if (sources.length === 0) return { events: 0, deliveries: 0 }
  const receivers = await receiversOf(deps, sources)
  const stored = await Promise.allSettled(sources.map((source) => storeDeliveries(deps, source, receivers)))
  const whole = sources.filter((_, index) => stored[index]?.status === 'fulfilled')
  const deliveries = stored.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  nudgeFresh(deps, deliveries, receivers)
  // Just the events that were read: one that came meanwhile stays.
  await Promise.all(
    whole.map(({ _id, outbox }) =>
      deps.lanes.emptyOutbox({ _id, events: outbox.map(({ id }) => id) }, noHurry),
    ),
  )
  scheduleExpiries(deps, sources)
  // What could not be stored stays in its outbox, alone, and comes again.
  const broken = stored.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return {
    events: sources.reduce((sum, { outbox }) => sum + outbox.length, 0),
    deliveries: deliveries.length,
  }
}

async function storeDeliveries(
  deps: Deps,
  source: Source,
  receivers: Map<string, Receiver[]>,
): Promise<Delivery[]> {
  const deliveries = deliveriesOf(source, receivers, deps.now())
  await Promise.all(deliveries.map((delivery) => deps.lanes.insertDelivery(delivery, noHurry)))
  return deliveries
}

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

/** Those of the intents that have anything to tell. */
async function sourcesOf(deps: Deps, intentIds: string[]): Promise<Source[]> {
  const found = await Promise.all([...new Set(intentIds)].map((id) => deps.lanes.findSource(id, noHurry)))
  return found.filter((source) => source !== null && source.outbox.length > 0) as Source[]
}

async function receiversOf(deps: Deps, sources: Source[]): Promise<Map<string, Receiver[]>> {
  const businessIds = [...new Set(sources.map(({ businessId }) => businessId))]
  const found = await Promise.all(businessIds.map((id) => deps.lanes.findReceivers(id, noHurry)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/** A new intent gets its delayed job here, off the path of the request that made it. */
function scheduleExpiries(deps: Deps, sources: Source[]): void {
  const created = sources.filter((source) => source.outbox.some((event) => event.event === 'payment.created'))
  if (created.length > 0)
    deps.nudge(
      'intent-expiry',
      created.map((intent) => expiryJob(intent, deps.now())),
    )
}
