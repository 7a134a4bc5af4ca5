import type { Collection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'

/**
 * One payment, failed payment or refund. The relay inserts the entry before it removes the event from the outbox, so
 * every such event has an entry. The entry has the id of its event, so an event that is relayed twice still has only
 * one.
 */
export interface ActivityEntry {
  /** The id of the event. */
  _id: string
  /** The time of the payment, failure or refund, rather than the time of the insert. */
  at: Date
  businessId: string
  sandbox: boolean
  kind: 'payment' | 'failure' | 'refund'
  /** The amount in centimes that was paid or refunded, or 0 for a failure. */
  amount: number
}

/** Entries are kept for longer than the figures that are counted from them. */
const keptSeconds = 36 * 86_400

export const activityEntries: Collection = {
  name: 'activityentries',
  fields: { _id: String, at: Date, businessId: String, sandbox: Boolean, kind: String, amount: Number },
  indexes: [
    // This index removes old entries, and finds the entries of an hour. An entry takes about 100 bytes, so reading it
    // costs little more than reading a larger index that contains all of its fields.
    { name: 'removal', key: { at: 1 }, expireAfterSeconds: keptSeconds },
  ],
}

/** Returns the entry of an event, or null if the event is neither a payment, nor a failed payment, nor a refund. */
export function entryOf(
  { businessId, sandbox }: Pick<Source, 'businessId' | 'sandbox'>,
  { id: _id, event, createdAt, facts }: Pick<OutboxEvent, 'id' | 'event' | 'createdAt' | 'facts'>,
): ActivityEntry | null {
  const owner = { _id, businessId, sandbox }
  switch (event) {
    case 'payment.confirmed':
      return { ...owner, kind: 'payment', at: facts.paidAt ?? createdAt, amount: facts.amount ?? 0 }
    case 'payment.failed':
      return { ...owner, kind: 'failure', at: createdAt, amount: 0 }
    case 'payment.refunded':
      return { ...owner, kind: 'refund', at: createdAt, amount: facts.refund?.amount ?? 0 }
    case 'payment.created':
    case 'payment.cancelled':
    case 'payment.expired':
    case 'order.new':
    case 'endpoint.failing':
      return null
  }
}
