import type { IntentDocument, OrderDocument } from '../documents.ts'

/** An event that a history asks for. `tells`: what of its data it must have, so that two of one name are told apart. */
export interface Due {
  event: string
  /** When it happened on the service's clock, as far as that is stored; null where only a count is. */
  at: number | null
  status: string
  /** Of a refund. */
  refund: string | null
}

/** The events that the life of an intent asks for (SPEC 6.1), in the order in which they happened. */
export function eventsOf(intent: IntentDocument): Due[] {
  const { createdAt, attempts, payment, refunds, cancellationReason, updatedAt } = intent
  const failed = attempts.filter(
    ({ kind, outcome }) => kind === 'payment' && ['declined', 'failed'].includes(outcome),
  )
  return [
    { event: 'payment.created', at: createdAt, status: 'PENDING', refund: null },
    ...failed.map(({ outcome, at }) => ({
      event: 'payment.failed',
      at,
      status: outcome === 'declined' ? 'PENDING' : 'FAILED',
      refund: null,
    })),
    ...(payment === null
      ? []
      : [{ event: 'payment.confirmed', at: payment.paidAt, status: 'PAID', refund: null }]),
    ...refunds
      .filter(({ status }) => status === 'SUCCEEDED')
      .map(({ id }) => ({ event: 'payment.refunded', at: null, status: 'REFUNDED', refund: id })),
    ...(cancellationReason === null
      ? []
      : [
          {
            event: cancellationReason === 'expired' ? 'payment.expired' : 'payment.cancelled',
            at: updatedAt,
            status: 'CANCELLED',
            refund: null,
          },
        ]),
  ]
}

export const eventsOfOrder = ({ createdAt }: OrderDocument): Due[] => [
  { event: 'order.new', at: createdAt, status: 'PLACED', refund: null },
]

/** Payments of one intent that are remembered with how they went; older ones are forgotten. */
export const mostAttempts = 50
