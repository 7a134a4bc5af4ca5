import type { EventName } from '../../schemas/events.ts'
import { chainFields, chainIndex } from '../chains/append.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, oneOf, text } from '../mongo/fields.ts'
import { recordedFields } from '../outbox/facts.ts'

/** `_id` is the event's id, so an event that is relayed twice is logged once. Only `cleaned` events ever change. */
export const loggedEvents = declareCollection({
  name: 'events',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    ...chainFields.fields,
    ...recordedFields.fields,
    /**
     * Instead of removing the last event of a log, the clean-up makes it a `cleaned` one, because the next event needs
     * its number. No reader sees it, and its other fields mean nothing.
     */
    event: oneOf<EventName | 'cleaned'>(),
    /** For an endpoint event, the endpoint's id. */
    referenceNumber: text,
    /** When the event happened, which isn't quite the order of the log. */
    createdAt: date,
    loggedAt: date,
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
})
export type LoggedEvent = Stored<typeof loggedEvents>
