import type { EventName } from '../../schemas/events.ts'
import { newId } from '../ids.ts'

/** An event in the outbox of the document it tells of. `data` is the payload, frozen as JSON text. */
export interface OutboxEvent {
  id: string
  event: EventName
  createdAt: Date
  data: string
}

/** The outbox as a field of a collection, and the index by which the sweep finds what nobody relayed. */
export const outboxFields = [{ _id: false, id: String, event: String, createdAt: Date, data: String }]
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1 },
  partialFilterExpression: { 'outbox.createdAt': { $exists: true } },
} as const

/** Makes an event; `data` must be ready for JSON, in the wire's snake_case (SPEC 6.2). */
export const newEvent = (event: EventName, createdAt: Date, data: Record<string, unknown>): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  data: JSON.stringify(data),
})
