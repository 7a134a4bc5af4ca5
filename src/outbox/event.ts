import type { EventName } from '../../schemas/events.ts'
import { ifPresent } from '../mongo/collection.ts'
import { newId } from '../platform/ids.ts'
import type { Cause } from '../tracing/tracing.ts'
import { type Recorded, recordedFields } from './facts.ts'

/** How a cause is stored. Both fields are missing without a request, e.g. if an intent expired. */
export interface Caused {
  requestId?: string
  traceparent?: string
}

/** The rest of the webhook body comes from the intent, order or endpoint that has this event in its outbox. */
export interface OutboxEvent extends Recorded, Caused {
  id: string
  event: EventName
  createdAt: Date
}

export const causedFields = { requestId: String, traceparent: String }
export const outboxFields = [
  { _id: false, id: String, event: String, createdAt: Date, ...recordedFields, ...causedFields },
]
/** Covers what the poll for unrelayed events reads, so that it needs no documents. */
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  ...ifPresent('outbox.createdAt'),
} as const

export const newEvent = (event: EventName, createdAt: Date, recorded: Recorded, cause: Cause | null): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  ...recorded,
  ...(cause === null ? {} : causedBy(cause)),
})

const causedBy = ({ requestId, traceparent }: Cause): Caused =>
  traceparent === null ? { requestId } : { requestId, traceparent }
