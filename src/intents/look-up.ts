import type { EventName } from '../../schemas/events.ts'
import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'
import { type Move, moves } from './lifecycle.ts'

/** An intent for support staff: without its code, the merchant's metadata and the facts of its events. */
export type TracedIntent = Omit<
  Intent,
  'code' | 'codeKey' | 'metadata' | 'successUrl' | 'cancelUrl' | 'effects'
>

const hidden = {
  code: 0,
  codeKey: 0,
  metadata: 0,
  successUrl: 0,
  cancelUrl: 0,
  effects: 0,
  'outbox.facts': 0,
}

/** The intent with this reference, of whichever business and environment. */
export const lookUpIntent = (
  deps: Pick<Deps, 'Intent'>,
  referenceNumber: string,
): Promise<TracedIntent | null> =>
  deps.Intent.findOne({ referenceNumber }, hidden).lean<TracedIntent | null>()

/** The events that the life of an intent has brought about so far, each as often as it did, as far as it is written down. */
export function eventsSoFar(intent: TracedIntent): EventName[] {
  const { payment, attempts, refunds, cancellationReason } = intent
  const payments = attempts.filter(({ kind }) => kind === 'payment')
  const ended = Object.values(moves).find((move: Move) => move.cancellationReason === cancellationReason)
  return [
    'payment.created',
    ...payments.filter(({ outcome }) => outcome === 'declined').map(() => moves.decline.event),
    ...payments.filter(({ outcome }) => outcome === 'failed').map(() => moves.fail.event),
    ...(payment === null ? [] : [moves.pay.event]),
    ...refunds.filter(({ status }) => status === 'SUCCEEDED').map(() => moves.refund.event),
    ...(cancellationReason === null || ended === undefined ? [] : [ended.event]),
  ]
}
