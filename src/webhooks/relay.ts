import type { Deps } from '../deps.ts'
import { expiryJob } from '../intents/expire.ts'
import type { Intent } from '../intents/intent.ts'
import { type Delivery, deliveryId } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'
import type { OutboxEvent } from './event.ts'
import { deliveryJob } from './nudge.ts'

type Source = Pick<
  Intent,
  '_id' | 'businessId' | 'sandbox' | 'referenceNumber' | 'expiresAt' | 'status' | 'outbox'
>
type Receiver = Pick<Endpoint, '_id' | 'businessId' | 'url' | 'events'>

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
  const made = sources.flatMap((source) => deliveriesOf(source, receivers, deps.now()))
  await Promise.all(made.map((delivery) => deps.lanes.insertDelivery(delivery, Number.POSITIVE_INFINITY)))
  await emptyOutboxes(deps, sources)
  deps.nudge(
    'webhook-delivery',
    made.map((delivery) => deliveryJob(delivery, deps.now())),
  )
  scheduleExpiries(deps, sources)
  return { events: sources.reduce((sum, source) => sum + source.outbox.length, 0), deliveries: made.length }
}

async function receiversOf(deps: Deps, businessIds: string[]): Promise<Map<string, Receiver[]>> {
  const found = await deps.Endpoint.find(
    { businessId: { $in: businessIds }, active: true },
    { businessId: 1, url: 1, events: 1 },
  ).lean<Receiver[]>()
  const byBusiness = new Map<string, Receiver[]>(businessIds.map((id) => [id, []]))
  for (const receiver of found) byBusiness.get(receiver.businessId)?.push(receiver)
  return byBusiness
}

function deliveriesOf(source: Source, receivers: Map<string, Receiver[]>, now: Date): Delivery[] {
  return source.outbox.flatMap((event) =>
    (receivers.get(source.businessId) ?? [])
      .filter((receiver) => receiver.events.includes(event.event))
      .map((receiver) => newDelivery(source, event, receiver, now)),
  )
}

function newDelivery(source: Source, event: OutboxEvent, receiver: Receiver, now: Date): Delivery {
  const id = deliveryId(event.id, receiver._id)
  return {
    _id: id,
    eventId: event.id,
    endpointId: receiver._id,
    businessId: source.businessId,
    sandbox: source.sandbox,
    event: event.event,
    referenceNumber: source.referenceNumber,
    host: new URL(receiver.url).host,
    body: envelope(id, event, source.sandbox),
    status: 'PENDING',
    attempts: 0,
    nextAttemptAt: now,
    lease: null,
    attemptLog: [],
    createdAt: now,
    deliveredAt: null,
  }
}

/** The body of SPEC 6.2. `data` goes in as the text it was frozen as. */
function envelope(id: string, event: OutboxEvent, sandbox: boolean): string {
  const head = JSON.stringify({ id, event: event.event, created_at: event.createdAt, sandbox })
  return `${head.slice(0, -1)},"data":${event.data}}`
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
