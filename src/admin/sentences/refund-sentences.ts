import type { Sentences } from './advice.ts'
import type { RefundState } from './payment-state.ts'

/** The facts of a payment, as texts in one language. */
export interface PaymentFacts {
  reference: string
  /**
   * The total of the payment in question: the one in progress, the one that was made, the last attempt, or the total to
   * pay. Totals are what leaves or reaches the wallet (totals.ts), because a customer sees no other amounts there.
   */
  amount: string
  /** The total of the successful refunds. */
  refunded: string
  /** The total of the refund in question. */
  refund: string
  /** When the order in question began, when it becomes void, and when the service next queries the wallet. */
  since: string
  validUntil: string
  queryAt: string
  /** The key under which the wallet knows the order in question. */
  key: string
  paidAt: string
  codeExpiresAt: string
  expiresAt: string
}

/** The next step for an order whose outcome is unknown. */
export const callProvider = ({ queryAt, key }: PaymentFacts) =>
  `The service queries the wallet at least once a minute, next on ${queryAt}. No command can end the wait. If the outcome is still unknown after ten minutes, call an operator, who calls the provider and names the key ${key}.`

/** The sentences for each state of a refund. */
export const refundSentences: Record<RefundState, Sentences<PaymentFacts>> = {
  refunding: {
    happened: ({ refund, since }) =>
      `A refund of ${refund} was sent to the wallet on ${since}. The wallet has not reported the outcome yet.`,
    next: ({ validUntil }) =>
      `The service waits for the wallet, and queries it if it does not respond. The wallet must not carry out the refund after ${validUntil}. Meanwhile, the merchant cannot refund this amount a second time.`,
    en: ({ refund }) => `Your refund of ${refund} is being processed. Please wait a moment.`,
    fr: ({ refund }) => `Votre remboursement de ${refund} est en cours de traitement. Merci de patienter un instant.`,
  },
  'unknown-refund': {
    happened: ({ refund, since, validUntil }) =>
      `The wallet has not reported the outcome of a refund of ${refund} that began on ${since}. The money is safe: either the wallet has already paid it back, and the refund will be recorded, or the wallet must not pay it any more, because the refund became void on ${validUntil}. Meanwhile, the merchant cannot refund this amount a second time.`,
    next: callProvider,
    en: ({ refund }) =>
      `We do not know yet whether your refund of ${refund} was made. We keep checking with your wallet. If it was not made, the merchant can refund you again.`,
    fr: ({ refund }) =>
      `Nous ne savons pas encore si votre remboursement de ${refund} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. S’il ne l’a pas été, le commerçant pourra vous rembourser à nouveau.`,
  },
  'refund-failed': {
    happened: ({ refund, since }) => `The refund of ${refund} on ${since} did not go through. No money moved.`,
    next: () => 'The merchant can refund again. The reason is in the timeline.',
    en: ({ refund }) => `The refund of ${refund} did not go through. Please ask the merchant to refund you again.`,
    fr: ({ refund }) =>
      `Le remboursement de ${refund} n’a pas abouti. Veuillez demander au commerçant de vous rembourser à nouveau.`,
  },
  'refunded-in-part': {
    happened: ({ amount, refunded }) => `The merchant refunded ${refunded} of the ${amount} that the customer paid.`,
    next: () => 'The merchant can refund the rest.',
    en: ({ amount, refunded }) =>
      `Of your payment of ${amount}, ${refunded} has been refunded to the wallet that paid. For the rest, please contact the merchant.`,
    fr: ({ amount, refunded }) =>
      `Sur votre paiement de ${amount}, ${refunded} ont été remboursés sur le portefeuille utilisé pour payer. Pour le reste, veuillez contacter le commerçant.`,
  },
  refunded: {
    happened: ({ amount }) => `The merchant refunded all of the ${amount} that the customer paid.`,
    next: () => 'Nothing more happens to the payment.',
    en: ({ amount }) => `Your payment of ${amount} has been refunded in full to the wallet that paid.`,
    fr: ({ amount }) =>
      `Votre paiement de ${amount} a été remboursé en totalité sur le portefeuille utilisé pour payer.`,
  },
}
