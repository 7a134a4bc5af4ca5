import type { Deps } from '../deps.ts'
import { expiryJob } from '../intents/expire.ts'
import type { Delivery } from './delivery.ts'
import { deliveryJob } from './delivery-job.ts'
import { deliveriesOf, type Receiver, type Source } from './new-deliveries.ts'

export interface Relayed {
  events: number
  deliveries: number
}

/**
 * Hands on the events of some intents: one delivery per subscribed endpoint, then the event leaves the outbox. Killed
 * in between, it runs again: the delivery's id is made of event and endpoint, so nothing comes twice.
 */
export async function relayOutboxes(deps: Deps, intentIds: string[]): Promise<Relayed> {
  const sources = await deps.Intent.find(
    { _id: { $in: intentIds }, 'outbox.createdAt': { $exists: true } },
    { businessId: 1, sandbox: 1, referenceNumber: 1, expiresAt: 1, status: 1, outbox: 1 },
  ).lean<Source[]>()
  if (sources.length === 0) return { events: 0, deliveries: 0 }
  const receivers = await receiversOf(deps, [...new Set(sources.map((source) => source.businessId))])
  const stored = await Promise.allSettled(sources.map((source) => storeDeliveries(deps, source, receivers)))
  const whole = sources.filter((_, index) => stored[index]?.status === 'fulfilled')
  const deliveries = stored.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (whole.length > 0) await emptyOutboxes(deps, whole)
  deps.nudge(
    'webhook-delivery',
    deliveries.map((delivery) => deliveryJob(delivery, deps.now())),
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
  await Promise.all(
    deliveries.map((delivery) => deps.lanes.insertDelivery(delivery, Number.POSITIVE_INFINITY)),
  )
  return deliveries
}

async function receiversOf(deps: Deps, businessIds: string[]): Promise<Map<string, Receiver[]>> {
  const found = await deps.Endpoint.find(
    { businessId: { $in: businessIds }, active: true, deletedAt: null },
    { businessId: 1, url: 1, events: 1, 'health.slow': 1 },
  ).lean<Receiver[]>()
  const byBusiness = new Map<string, Receiver[]>(businessIds.map((id) => [id, []]))
  for (const receiver of found) byBusiness.get(receiver.businessId)?.push(receiver)
  return byBusiness
}

/** Takes out just the events that were read: one that came meanwhile stays. */
async function emptyOutboxes(deps: Deps, sources: Source[]): Promise<void> {
  await deps.Intent.bulkWrite(
    sources.map((source) => ({
      updateOne: {
        filter: { _id: source._id },
        update: { $pull: { outbox: { id: { $in: source.outbox.map((event) => event.id) } } } },
      },
    })),
    { ordered: false },
  )
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
