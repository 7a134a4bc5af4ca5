import type { Deps } from '../../deps.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { Verdict } from './verdict.ts'

/**
 * The span of an attempt, which belongs to the trace of the request that caused the event. `traceparent` is null if
 * tracing is off.
 */
export interface AttemptSpan {
  traceparent: string | null
  end(attempts: number, outcome: Verdict['outcome'], record: AttemptRecord): void
}

/** Starts the span of an attempt. Must be called just before the request is sent to the endpoint. */
export function traceAttempt({ tracing }: Pick<Deps, 'tracing'>, delivery: ClaimedDelivery): AttemptSpan {
  const { _id: deliveryId, event: webhookEvent, sandbox, requestId, traceparent = null } = delivery
  const span = tracing?.begin('attempt', 'call', traceparent)
  return {
    traceparent: span?.traceparent ?? null,
    end(attempts, outcome, { status, stage }) {
      const facts = { deliveryId, webhookEvent, sandbox, requestId, attempts, outcome, status, stage }
      span?.end({ facts, failed: outcome !== 'delivered' })
    },
  }
}
