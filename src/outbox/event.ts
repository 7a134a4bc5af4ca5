import type { EventName } from '../../schemas/events.ts'
import type { JobPayloads } from '../../schemas/jobs.ts'
import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { indexIfPresent } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { CausingRequest } from '../tracing/tracing.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

/** If `retryable`, the intent is still PENDING, so the customer can retry. */
export const paymentFailureFields = field.part({
  code: field.oneOf<DeclineReason | FailureReason>(),
  retryable: field.flag,
})
export type PaymentFailure = field.ValueOfField<typeof paymentFailureFields>

export interface EventFacts {
  status: string
  /** In centimes. Missing for an unpaid OPEN intent. */
  amount?: number
  paidAt?: Date
  payerPhone?: string
  commission?: Commission
  failure?: PaymentFailure
  refund?: {
    id: string
    amount: number
    returnedFees: ReturnedFees
    reason?: string
    /** No webhook contains this. */
    createdAt?: Date
  }
  endpoint?: {
    url: string
    failingSince: Date
    /** Missing if the status is FAILING. */
    recoveredAt?: Date
    /** The stage of the last failed attempt. */
    lastError: string | null
    /** Null if that attempt got no response. */
    lastStatus: number | null
  }
}

/** `format` selects the function that composes `data` from the facts. */
export const recordedFactFields = field.part({ format: field.whole, facts: field.anything<EventFacts>() })
export type RecordedFacts = field.ValueOfField<typeof recordedFactFields>

/** Both are missing if no request caused the event, as with an expiry. */
export const eventCauseFields = field.part({
  requestId: field.optional(field.text),
  traceparent: field.optional(field.text),
})
export type EventCause = field.ValueOfField<typeof eventCauseFields>

export const outboxFields = field.part({
  ...recordedFactFields.fields,
  ...eventCauseFields.fields,
  id: field.text,
  event: field.oneOf<EventName>(),
  createdAt: field.date,
})
export type OutboxEvent = field.ValueOfField<typeof outboxFields>

/** The poll reads only index keys. */
export const outboxIndex = {
  name: 'withOutbox',
  key: { 'outbox.createdAt': 1, businessId: 1, _id: 1 },
  ...indexIfPresent('outbox.createdAt'),
} as const

export const newEvent = (
  event: EventName,
  createdAt: Date,
  recorded: RecordedFacts,
  cause: CausingRequest | null,
): OutboxEvent => ({
  id: newId(),
  event,
  createdAt,
  ...recorded,
  ...(cause && { requestId: cause.requestId }),
  ...(cause?.traceparent && { traceparent: cause.traceparent }),
})

/** Call this after the write. If the job is lost, a poll finds the event. */
export function wakeRelay(
  deps: Pick<Deps, 'enqueue'>,
  { _id }: { _id: string },
  ids: keyof JobPayloads['outbox-relay'] = 'intentIds',
): void {
  const data = { intentIds: [], orderIds: [], [ids]: [_id] }
  deps.enqueue('outbox-relay', [{ data }])
}
