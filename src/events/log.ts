import type { EventName } from '../../schemas/events.ts'
import { type AppendListener, chainFields, chainIndex, createChainAppender } from '../chains/append.ts'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, oneOf, text } from '../mongo/fields.ts'
import { type OutboxEvent, recordedFactFields } from '../outbox/event.ts'
import type { Deps, Models } from '../platform/deps.ts'

/** `_id` is the event's id, so an event relayed twice is logged once. */
export const loggedEvents = declareCollection({
  name: 'events',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    ...chainFields.fields,
    ...recordedFactFields.fields,
    // The clean-up keeps the last event, whose number determines the next one.
    event: oneOf<EventName | 'cleaned'>(),
    /** For an endpoint event, the endpoint's id. */
    referenceNumber: text,
    /** When the event happened. The log isn't exactly in this order. */
    createdAt: date,
    loggedAt: date,
  },
  indexes: [
    chainIndex,
    // To list rare events fast, the index has `event` before the time.
    {
      name: 'byTypeAndTime',
      key: { businessId: 1, sandbox: 1, event: 1, createdAt: -1, _id: -1, number: 1 },
    },
    { name: 'byType', key: { businessId: 1, sandbox: 1, event: 1, number: 1 } },
    { name: 'byReference', key: { referenceNumber: 1, createdAt: -1, _id: -1 } },
  ],
})
export type LoggedEvent = Stored<typeof loggedEvents>

export type EventDraft = Omit<LoggedEvent, 'businessId' | 'sandbox' | 'number' | 'loggedAt'>

export const openEventLog = (
  models: Pick<Models, 'LoggedEvent'>,
  now: () => Date,
  onStored?: AppendListener,
) => ({
  appendEvents: createChainAppender<EventDraft, LoggedEvent>(
    rawCollection(models.LoggedEvent),
    ({ businessId, sandbox }, last, draft) => [
      { ...draft, businessId, sandbox, number: (last?.number ?? 0) + 1, loggedAt: now() },
    ],
    onStored,
  ),
})

/** Logs every event, even if no endpoint is subscribed to it. */
export const appendToEventLog = (
  { batchers }: { batchers: ReturnType<typeof openEventLog> },
  { businessId, sandbox, referenceNumber }: Pick<LoggedEvent, 'businessId' | 'sandbox' | 'referenceNumber'>,
  events: readonly OutboxEvent[],
  deadlineAt: number,
): Promise<void> =>
  batchers.appendEvents(
    { businessId, sandbox },
    events.map(({ id: _id, event, createdAt, format, facts }) => ({
      _id,
      event,
      referenceNumber,
      createdAt,
      format,
      facts,
    })),
    deadlineAt,
  )

/** With any other condition, MongoDB wouldn't read the index in order. */
const withOutbox = { 'outbox.createdAt': { $exists: true } }

export async function findOldestOutboxEvent(
  deps: Pick<Deps, 'Intent' | 'Order' | 'Endpoint'>,
  maxTimeMS: number,
): Promise<Pick<OutboxEvent, 'createdAt'> | null> {
  const byAge = { 'outbox.createdAt': 1 } as const
  const options = { projection: byAge, sort: byAge, maxTimeMS }
  const found = await Promise.all([
    rawCollection(deps.Intent).findOne(withOutbox, options),
    rawCollection(deps.Order).findOne(withOutbox, options),
    rawCollection(deps.Endpoint).findOne(withOutbox, options),
  ])
  // The first event in an outbox is the oldest.
  const first = found.flatMap((document) => document?.outbox[0] ?? [])
  return first.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())[0] ?? null
}
