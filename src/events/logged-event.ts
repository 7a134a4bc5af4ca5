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

/** `_id` is the event's id, so an event that is relayed twice is logged once. Only `cleaned` events ever change. */
export interface LoggedEvent extends ChainLink, Recorded {
  /**
   * Instead of removing the last event of a log, the clean-up makes it a `cleaned` one, because the next event needs
   * its number. No reader sees it, and its other fields mean nothing.
   */
  event: EventName | 'cleaned'
  /** For an endpoint event, the endpoint's id. */
  referenceNumber: string
  /** When the event happened, which isn't quite the order of the log. */
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
    // Lists and counts events without reading documents. Types come before the time, because a list of a rare type
    // would read all keys otherwise. Includes the number, because a replay covers only what was in the log when it
    // started.
    {
      name: 'byTypeAndTime',
      key: { businessId: 1, sandbox: 1, event: 1, createdAt: -1, _id: -1, number: 1 },
    },
    // The feed reads this index in the order of the numbers.
    { name: 'byType', key: { businessId: 1, sandbox: 1, event: 1, number: 1 } },
    { name: 'byReference', key: { referenceNumber: 1, createdAt: -1, _id: -1 } },
  ],
}
