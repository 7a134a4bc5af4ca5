import type { EventName } from '../../schemas/events.ts'
import { newId } from '../ids.ts'
import { currentFormat, type Facts, type Recorded, recordedFields } from './body/facts.ts'

/** The request that had something happen: its X-Request-Id, and, while it is traced, where its trace goes on from (src/tracing). */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** What is stored of a cause: nothing where it was the clock or a job. */
export interface Caused {
  requestId?: string
  traceparent?: string
}

/** An event in the outbox of the document it tells of, which has everything else that its body says (body/compose.ts). */
export interface OutboxEvent extends Recorded, Caused {
  id: string
  event: EventName
  createdAt: Date
}

/** The outbox as a field of a collection, and the index by which the poll finds what nobody relayed, without reading a document. */
export const causedFields = { requestId: String, traceparent: String }
export const outboxFields = [
  { _id: false, id: String, event: String, createdAt: Date, ...recordedFields, ...causedFields },
]
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  partialFilterExpression: { 'outbox.createdAt': { $exists: true } },
} as const

/** Makes an event. `cause`: null where the clock or a job made it. */
export const newEvent = (
  event: EventName,
  createdAt: Date,
  facts: Facts,
  cause: Cause | null,
): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  format: currentFormat,
  facts,
  ...(cause === null ? {} : causedBy(cause)),
})

const causedBy = ({ requestId, traceparent }: Cause): Caused =>
  traceparent === null ? { requestId } : { requestId, traceparent }
