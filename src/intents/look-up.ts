import type { EventName } from '../../schemas/events.ts'
import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'
import { type Transition, transitions } from './lifecycle.ts'

const hidden = {
  code: 0,
  codeKey: 0,
  formerCodeKey: 0,
  referenceKey: 0,
  lookUpKeys: 0,
  metadata: 0,
  successUrl: 0,
  cancelUrl: 0,
  marks: 0,
  requestKey: 0,
  'outbox.facts': 0,
} as const

/** An intent as support staff see it, without its code, the merchant's metadata and the stored data of its events. */
export type TracedIntent = Omit<Intent, keyof typeof hidden>

/** Finds an intent by its reference, in any business and environment. */
export const lookUpIntent = (deps: Pick<Deps, 'Intent'>, referenceNumber: string): Promise<TracedIntent | null> =>
  deps.Intent.findOne({ referenceNumber }, hidden).lean<TracedIntent | null>()

/**
 * Returns the names of those past events that can still be derived from the intent's fields. The same name may occur
 * several times.
 */
export function eventsSoFar(intent: TracedIntent): EventName[] {
  const { payment, attempts, refunds, cancellationReason } = intent
  const payments = attempts.filter(({ kind }) => kind === 'payment')
  const cancellation = Object.values(transitions).find(
    (transition: Transition) => transition.cancellationReason === cancellationReason,
  )
  return [
    'payment.created',
    ...payments.filter(({ outcome }) => outcome === 'declined').map(() => transitions.decline.event),
    ...payments.filter(({ outcome }) => outcome === 'failed').map(() => transitions.fail.event),
    ...(payment === null ? [] : [transitions.pay.event]),
    ...refunds.filter(({ status }) => status === 'SUCCEEDED').map(() => transitions.refund.event),
    ...(cancellationReason === null || cancellation === undefined ? [] : [cancellation.event]),
  ]
}
