import type { EventName } from '../../schemas/events.ts'
import { newId } from '../ids.ts'

/** The request that had something happen: its X-Request-Id, and, while it is traced, where its trace goes on from (src/tracing). */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** What is stored of a cause: nothing where it was the clock or a job, and nothing of what versions before this one wrote. */
export interface Caused {
  requestId?: string
  traceparent?: string
}

/** An event in the outbox of the document it tells of. `data` is the payload, frozen as JSON text. */
export interface OutboxEvent extends Caused {
  id: string
  event: EventName
  createdAt: Date
  data: string
}

/** The outbox as a field of a collection, and the index by which the sweep finds what nobody relayed. */
export const causedFields = { requestId: String, traceparent: String }
export const outboxFields = [
  { _id: false, id: String, event: String, createdAt: Date, data: String, ...causedFields },
]
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1 },
  partialFilterExpression: { 'outbox.createdAt': { $exists: true } },
} as const

/** Makes an event; `data` must be ready for JSON, in the wire's snake_case (SPEC 6.2). `cause`: null where the clock or a job made it. */
export const newEvent = (
  event: EventName,
  createdAt: Date,
  data: Record<string, unknown>,
  cause: Cause | null,
): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  data: JSON.stringify(data),
  ...(cause === null ? {} : causedBy(cause)),
})

const causedBy = ({ requestId, traceparent }: Cause): Caused =>
  traceparent === null ? { requestId } : { requestId, traceparent }
