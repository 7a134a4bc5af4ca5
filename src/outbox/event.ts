import type { EventName } from '../../schemas/events.ts'
import { ifPresent } from '../mongo/collection.ts'
import { date, type Of, oneOf, optional, part, text } from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import type { Cause } from '../tracing/tracing.ts'
import { type Recorded, recordedFields } from './facts.ts'

/**
 * A cause as it is stored in documents. Both fields are missing if no request caused the event, for example if the
 * intent expired.
 */
export const causedFields = part({ requestId: optional(text), traceparent: optional(text) })
export type Caused = Of<typeof causedFields>

/**
 * An event in the outbox of its intent, order or endpoint. The remaining fields of the webhook body come from that
 * intent or order (body/compose.ts).
 */
export const outboxFields = part({
  ...recordedFields.fields,
  ...causedFields.fields,
  id: text,
  event: oneOf<EventName>(),
  createdAt: date,
})
export type OutboxEvent = Of<typeof outboxFields>

/**
 * This index contains every field that the poll needs to find documents with unrelayed events, so the poll does not
 * have to read the documents themselves.
 */
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  ...ifPresent('outbox.createdAt'),
} as const

/** Creates an event. `cause` is null if no request caused the event. */
export const newEvent = (event: EventName, createdAt: Date, recorded: Recorded, cause: Cause | null): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  ...recorded,
  ...(cause === null ? {} : causedBy(cause)),
})

const causedBy = ({ requestId, traceparent }: Cause): Caused =>
  traceparent === null ? { requestId } : { requestId, traceparent }
