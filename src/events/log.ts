import { createAppender, type OnStored } from '../chains/append.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Models } from '../platform/deps.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'
import type { LoggedEvent } from './logged-event.ts'

export type EventDraft = Omit<LoggedEvent, 'businessId' | 'sandbox' | 'number' | 'loggedAt'>

export type EventLog = ReturnType<typeof openEventLog>

export const openEventLog = (models: Pick<Models, 'LoggedEvent'>, now: () => Date, onStored?: OnStored) => ({
  /** Skips events that are in the log already. */
  appendEvents: createAppender<EventDraft, LoggedEvent>(
    nativeCollection(models.LoggedEvent),
    ({ businessId, sandbox }, last, draft) => [
      { ...draft, businessId, sandbox, number: (last?.number ?? 0) + 1, loggedAt: now() },
    ],
    onStored,
  ),
})

/** Logs every event, subscribed to or not. The relay does this before it removes the events from the outbox. */
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
