import type { Model } from 'mongoose'
import type { EventName } from '../../schemas/events.ts'
import { type ChainLink, chainIndex } from '../chains/append.ts'
import type { Collection } from '../mongo/collection.ts'
import { type Recorded, recordedFields } from '../outbox/facts.ts'

declare module '../platform/deps.ts' {
  interface Models {
    LoggedEvent: Model<LoggedEvent>
  }
}

/**
 * An event in the event log of a business and environment. `_id` is the event's id, so an event that is relayed twice
 * is logged once. Apart from `cleaned` events, logged events never change.
 */
export interface LoggedEvent extends ChainLink, Recorded {
  /**
   * The clean-up turns the last event of a log into a `cleaned` event instead of removing it, because the next event
   * gets the next number. The other fields of a `cleaned` event have no meaning. No reader sees it.
   */
  event: EventName | 'cleaned'
  /** The number of the intent or order. For an event of an endpoint, the endpoint's id. */
  referenceNumber: string
  /** When the event happened. Events are not logged exactly in this order. */
  createdAt: Date
  loggedAt: Date
}

export const loggedEvents: Collection = {
  name: 'events',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    number: Number,
    event: String,
    referenceNumber: String,
    createdAt: Date,
    loggedAt: Date,
    ...recordedFields,
  },
  indexes: [
    chainIndex,
    // With this index, events are listed and counted without reading other documents. The types come before the time,
    // because otherwise a list of a rare type would read all keys. It contains the number, because a replay covers only
    // the events that were in the log when it started.
    {
      name: 'byTypeAndTime',
      key: { businessId: 1, sandbox: 1, event: 1, createdAt: -1, _id: -1, number: 1 },
    },
    // With this index, a part of the feed is read, in the order of the numbers.
    { name: 'byType', key: { businessId: 1, sandbox: 1, event: 1, number: 1 } },
    { name: 'byReference', key: { referenceNumber: 1, createdAt: -1, _id: -1 } },
  ],
}
