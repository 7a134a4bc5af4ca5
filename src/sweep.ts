import type { Deps } from './deps.ts'
import { expiryJob } from './intents/expire.ts'
import type { Intent } from './intents/intent.ts'
import { moves } from './intents/lifecycle.ts'
import { nudgeRelay } from './intents/nudge-relay.ts'
import { type Delivery, openStatuses } from './webhooks/delivery.ts'
import { deliveryJob } from './webhooks/delivery-job.ts'

/** How far ahead delayed jobs are re-created, so that they are there on time after Redis was emptied: some sweeps. */
const aheadMs = 30_000
/** A change younger than this has its own nudge on the way. */
const graceMs = 2_000
/** How many documents one look takes. */
const batch = 1000

export interface Swept {
  outboxes: number
  deliveries: number
  expiries: number
}

/**
 * Re-creates every nudge that MongoDB says is due: events nobody relayed, deliveries nobody attempts, intents whose time is
 * up. What is queued already stays as it is, so this may run at any time and any number of times.
 */
export async function sweep(deps: Deps): Promise<Swept> {
  const [outboxes, deliveries, expiries] = [
    await sweepOutboxes(deps),
    await sweepDeliveries(deps),
    await sweepExpiries(deps),
  ]
  return { outboxes, deliveries, expiries }
}

async function sweepOutboxes(deps: Deps): Promise<number> {
  const old = new Date(deps.now().getTime() - graceMs)
  const found = deps.Intent.find({ 'outbox.createdAt': { $lte: old } }, { _id: 1 }).lean<
    Pick<Intent, '_id'>[]
  >()
  return inBatches(found.cursor({ batchSize: batch }), (intents) => {
    for (const intent of intents) nudgeRelay(deps, intent)
  })
}

async function sweepDeliveries(deps: Deps): Promise<number> {
  const now = deps.now()
  const due = deps.Delivery.find(
    {
      // `$type` says nothing new, but without it MongoDB does not use the partial index `due`.
      nextAttemptAt: { $type: 'date', $lte: new Date(now.getTime() + aheadMs) },
      status: { $in: openStatuses },
      $or: [{ lease: null }, { 'lease.until': { $lte: now } }],
    },
    { event: 1, referenceNumber: 1, host: 1, redrives: 1, nextAttemptAt: 1 },
  ).lean<Delivery[]>()
  return inBatches(due.cursor({ batchSize: batch }), (deliveries) =>
    deps.queues.readd(
      'webhook-delivery',
      deliveries.map((delivery) => deliveryJob(delivery, now)),
    ),
  )
}

async function sweepExpiries(deps: Deps): Promise<number> {
  const now = deps.now()
  const soon = new Date(now.getTime() + aheadMs)
  const found = deps.Intent.find(
    { status: { $in: moves.expire.from }, expiresAt: { $lte: soon } },
    { referenceNumber: 1, expiresAt: 1 },
  ).lean<Intent[]>()
  return inBatches(found.cursor({ batchSize: batch }), (intents) =>
    deps.queues.readd(
      'intent-expiry',
      intents.map((intent) => expiryJob(intent, now)),
    ),
  )
}

async function inBatches<Doc>(
  cursor: AsyncIterable<Doc>,
  act: (docs: Doc[]) => void | Promise<void>,
): Promise<number> {
  let seen = 0
  let docs: Doc[] = []
  for await (const doc of cursor) {
    docs.push(doc)
    seen += 1
    if (docs.length < batch) continue
    await act(docs)
    docs = []
  }
  if (docs.length > 0) await act(docs)
  return seen
}
