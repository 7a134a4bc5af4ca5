import { type Appender, createAppender } from '../chains/append.ts'
import { type Batcher, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'
import type { LoggedEvent } from './logged-event.ts'

/** An event that is not in the log yet. */
export type EventDraft = Omit<LoggedEvent, 'businessId' | 'sandbox' | 'number' | 'loggedAt'>

/** Writes to the event log of a business and environment. */
export interface EventLog {
  /** Appends events. Events that are already in the log are left out. */
  appendEvents: Appender<EventDraft>
  /**
   * Resolves once MongoDB can no longer lose the events that this process has read before. A standalone server also
   * returns events that are not in its journal yet, and a kill of the server removes them again.
   */
  keepEvents: Batcher<null, null>
}

/** The maximum number of callers that share one write. */
const longestBatch = 1000

export const openEventLog = (models: Pick<Models, 'LoggedEvent'>, now: () => Date): EventLog => ({
  appendEvents: createAppender<EventDraft, LoggedEvent>(
    nativeCollection(models.LoggedEvent),
    ({ businessId, sandbox }, last, draft) => [
      { ...draft, businessId, sandbox, number: (last?.number ?? 0) + 1, loggedAt: now() },
    ],
  ),
  keepEvents: createBatcher(longestBatch, async (callers) => {
    // This write changes nothing, but MongoDB only responds when its journal contains everything written before.
    await nativeCollection(models.LoggedEvent).updateOne(
      { _id: '' },
      { $setOnInsert: { number: 0 } },
      { writeConcern: { w: 1, journal: true } },
    )
    return callers.map(() => null)
  }),
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
    events.map(({ id, event, createdAt, format, facts }) => ({
      _id: id,
      event,
      referenceNumber,
      createdAt,
      format,
      facts,
    })),
    deadlineAt,
  )
