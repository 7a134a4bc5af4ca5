import { createAppender, type OnStored } from '../chains/append.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Models } from '../platform/deps.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'
import type { LoggedEvent } from './logged-event.ts'

/** An event that is not in the log yet. */
export type EventDraft = Omit<LoggedEvent, 'businessId' | 'sandbox' | 'number' | 'loggedAt'>

/** Writes to the event log of a business and environment. */
export type EventLog = ReturnType<typeof openEventLog>

export const openEventLog = (models: Pick<Models, 'LoggedEvent'>, now: () => Date, onStored?: OnStored) => ({
  /** Appends events. Events that are already in the log are left out. */
  appendEvents: createAppender<EventDraft, LoggedEvent>(
    nativeCollection(models.LoggedEvent),
    ({ businessId, sandbox }, last, draft) => [
      { ...draft, businessId, sandbox, number: (last?.number ?? 0) + 1, loggedAt: now() },
    ],
    onStored,
  ),
})

/**
 * Appends events to the event log. The relay calls this function before it removes the events from the outbox, so none
 * is missed. The log contains every event, whether or not any endpoint is subscribed to it.
 */
export const logEvents = (
  { batchers }: { batchers: EventLog },
  { businessId, sandbox, referenceNumber }: Pick<Source, 'businessId' | 'sandbox' | 'referenceNumber'>,
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
