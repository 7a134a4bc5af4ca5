import type { EventName } from '../../schemas/events.ts'
import { chainFields, chainIndex } from '../chains/append.ts'
import { collection, type Stored } from '../mongo/declare.ts'
import { date, oneOf, text } from '../mongo/fields.ts'
import { recordedFields } from '../outbox/facts.ts'

/**
 * An event in the event log of a business and environment. `_id` is the event's id, so an event that is relayed twice
 * is logged once. Apart from `cleaned` events, logged events never change.
 */
export const loggedEvents = collection({
  name: 'events',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    ...chainFields.fields,
    ...recordedFields.fields,
    /**
     * The clean-up turns the last event of a log into a `cleaned` event instead of removing it, because the next event
     * gets the next number. The other fields of a `cleaned` event have no meaning. No reader sees it.
     */
    event: oneOf<EventName | 'cleaned'>(),
    /** The number of the intent or order. For an event of an endpoint, the endpoint's id. */
    referenceNumber: text,
    /** When the event happened. Events are not logged exactly in this order. */
    createdAt: date,
    loggedAt: date,
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
})
export type LoggedEvent = Stored<typeof loggedEvents>
