import type { EventName } from '../../schemas/events.ts'
import { ifPresent } from '../mongo/declare.ts'
import { date, type Of, oneOf, optional, part, text } from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import type { Cause } from '../tracing/tracing.ts'
import { type Recorded, recordedFields } from './facts.ts'

/** Both are missing if no request caused the event, e.g. if the intent expired. */
export const causedFields = part({ requestId: optional(text), traceparent: optional(text) })
export type Caused = Of<typeof causedFields>

/** The rest of the webhook body comes from the intent, order or endpoint that has this event in its outbox. */
export const outboxFields = part({
  ...recordedFields.fields,
  ...causedFields.fields,
  id: text,
  event: oneOf<EventName>(),
  createdAt: date,
})
export type OutboxEvent = Of<typeof outboxFields>

/** Has every field by which the poll finds unrelayed events, so it reads only index keys. */
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  ...ifPresent('outbox.createdAt'),
} as const

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
