import type { EventName } from '../../schemas/events.ts'
import { newId } from '../security/ids.ts'
import { type Recorded, recordedFields } from '../webhooks/body/facts.ts'

/**
 * The request that caused an event. `traceparent`: the span that the event's trace continues; null if the request is
 * not traced (src/tracing).
 */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** The stored form of a cause. Empty if the clock or a job caused the event. */
export interface Caused {
  requestId?: string
  traceparent?: string
}

/**
 * An event in the outbox of its intent or order. The other fields of the webhook body come from the intent or order
 * itself (body/compose.ts).
 */
export interface OutboxEvent extends Recorded, Caused {
  id: string
  event: EventName
  createdAt: Date
}

export const causedFields = { requestId: String, traceparent: String }
/** The schema of the field `outbox`. */
export const outboxFields = [
  { _id: false, id: String, event: String, createdAt: Date, ...recordedFields, ...causedFields },
]
/** Contains everything that the poll needs to find documents with unrelayed events, so the poll reads no documents. */
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  partialFilterExpression: { 'outbox.createdAt': { $exists: true } },
} as const

/** Creates an event. `cause`: null if the clock or a job caused the event. */
export const newEvent = (
  event: EventName,
  createdAt: Date,
  recorded: Recorded,
  cause: Cause | null,
): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  ...recorded,
  ...(cause === null ? {} : causedBy(cause)),
})

const causedBy = ({ requestId, traceparent }: Cause): Caused =>
  traceparent === null ? { requestId } : { requestId, traceparent }
