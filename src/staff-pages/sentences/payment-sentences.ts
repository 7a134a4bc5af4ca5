import type { Sentences } from './advice.ts'
import type { PaymentState, RefundState } from './payment-state.ts'

/** The facts of a payment, as texts in one language. */
export interface PaymentFacts {
  reference: string
  /**
   * The total of the payment in question: the one in progress, the one that was made, the last attempt, or the total to
   * pay. Totals are what leaves or reaches the wallet (payment-advice.ts), because a customer sees no other amounts
   * there.
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
const callProvider = ({ queryAt, key }: PaymentFacts) =>
  `The service queries the wallet at least once a minute, next on ${queryAt}. No command can end the wait. If the outcome is still unknown after ten minutes, call an operator, who calls the provider and names the key ${key}.`

/** The sentences for each state of a refund. */
const refundSentences: Record<RefundState, Sentences<PaymentFacts>> = {
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

const notCharged = 'You have not been charged.'
const notChargedFr = 'Vous n’avez pas été débité.'
const newRequest = 'The request can no longer be paid. The merchant can create a new one.'
const canRetry = ({ expiresAt }: PaymentFacts) => `No money moved. The customer can try again until ${expiresAt}.`
/** A payment that the customer can repeat. */
const declined = (why: string, en: string, fr: string): Sentences<PaymentFacts> => ({
  happened: ({ amount, since }) => `The payment of ${amount} on ${since} did not go through: ${why}.`,
  next: canRetry,
  en: ({ amount }) => `Your payment of ${amount} did not go through: ${en}`,
  fr: ({ amount }) => `Votre paiement de ${amount} n’a pas abouti : ${fr}`,
})

/** A payment that has failed permanently. */
const failed = (why: string, en: string, fr: string): Sentences<PaymentFacts> => ({
  happened: ({ amount, since }) => `The payment of ${amount} on ${since} failed permanently: ${why}.`,
  next: () => `No money moved. ${newRequest}`,
  en: ({ amount }) =>
    `Your payment of ${amount} failed: ${en} ${notCharged} Ask the merchant for a new payment request.`,
  fr: ({ amount }) =>
    `Votre paiement de ${amount} a échoué : ${fr} ${notChargedFr} Demandez au commerçant de créer une nouvelle demande de paiement.`,
})

/** A request that was cancelled or has expired. */
const closed = (happened: string, en: string, fr: string): Sentences<PaymentFacts> => ({
  happened: () => `${happened} No payment was made.`,
  next: () => newRequest,
  en: () => `${en} ${notCharged} Ask the merchant for a new one if you still want to pay.`,
  fr: () => `${fr} ${notChargedFr} Si vous voulez encore payer, demandez-en une nouvelle au commerçant.`,
})

/** The sentences for each state of a payment. */
export const paymentSentences: Record<PaymentState, Sentences<PaymentFacts>> = {
  unpaid: {
    happened: ({ amount }) => `No customer has attempted to pay ${amount} yet.`,
    next: ({ expiresAt }) => `The customer can pay until ${expiresAt}. Then the request expires.`,
    en: ({ codeExpiresAt }) =>
      `We have not received a payment for this request yet. You can pay with the link or the code until ${codeExpiresAt}.`,
    fr: ({ codeExpiresAt }) =>
      `Nous n’avons pas encore reçu de paiement pour cette demande. Vous pouvez payer avec le lien ou le code jusqu’au ${codeExpiresAt}.`,
  },
  'code-expired': {
    happened: ({ codeExpiresAt }) => `No customer has attempted to pay. The payment code expired on ${codeExpiresAt}.`,
    next: ({ expiresAt }) => `The customer can pay with the link until ${expiresAt}. Then the request expires.`,
    en: ({ expiresAt }) =>
      `The payment code is no longer valid, but you can pay with the link until ${expiresAt}. ${notCharged}`,
    fr: ({ expiresAt }) =>
      `Le code de paiement n’est plus valable, mais vous pouvez payer avec le lien jusqu’au ${expiresAt}. ${notChargedFr}`,
  },
  suspended: {
    happened: () => 'The business is suspended, so its customers cannot pay.',
    next: ({ expiresAt }) =>
      `An admin or an operator can resume the business. If that does not happen before ${expiresAt}, the request expires.`,
    en: () => `This payment is not possible at the moment. ${notCharged} Please contact the merchant.`,
    fr: () => `Ce paiement n’est pas possible pour le moment. ${notChargedFr} Veuillez contacter le commerçant.`,
  },
  paying: {
    happened: ({ amount, since }) =>
      `A payment of ${amount} was sent to the wallet on ${since}. The wallet has not reported the outcome yet.`,
    next: ({ validUntil }) =>
      `The service waits for the wallet, and queries it if it does not respond. The wallet must not carry out the payment after ${validUntil}. Until the outcome is known, no one can pay or cancel, and the request does not expire.`,
    en: ({ amount }) =>
      `Your payment of ${amount} is being processed. Please wait a moment, and do not pay a second time.`,
    fr: ({ amount }) =>
      `Votre paiement de ${amount} est en cours de traitement. Merci de patienter un instant et de ne pas payer une deuxième fois.`,
  },
  'unknown-payment': {
    happened: ({ amount, since, validUntil }) =>
      `The wallet has not reported the outcome of a payment of ${amount} that began on ${since}. The money is safe: either the wallet has already moved it, and the payment will be recorded, or the wallet must not move it any more, because the payment became void on ${validUntil}. Meanwhile, no one can pay a second time.`,
    next: callProvider,
    en: ({ amount }) =>
      `We do not know yet whether your payment of ${amount} was made. We keep checking with your wallet. Please do not pay a second time. If you were charged, the payment will be recorded as soon as your wallet confirms it. If not, you will not be charged later.`,
    fr: ({ amount }) =>
      `Nous ne savons pas encore si votre paiement de ${amount} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. Ne payez pas une deuxième fois. Si vous avez été débité, le paiement sera enregistré dès que votre portefeuille l’aura confirmé. Sinon, vous ne serez pas débité plus tard.`,
  },
  'not-executed': declined(
    'the wallet did not carry it out',
    `your wallet did not carry it out. ${notCharged} Please try again.`,
    `votre portefeuille ne l’a pas exécuté. ${notChargedFr} Veuillez réessayer.`,
  ),
  wrong_pin: declined(
    'the phone number or the PIN is wrong. The merchant is not notified',
    `the phone number or the PIN is wrong. ${notCharged} Check both and try again.`,
    `le numéro de téléphone ou le code PIN est incorrect. ${notChargedFr} Vérifiez les deux et réessayez.`,
  ),
  wallet_locked: declined(
    'the wallet is locked after too many wrong PINs. The merchant is not notified',
    `your wallet is locked after too many wrong PINs. ${notCharged} Try again later, or pay with another wallet.`,
    `votre portefeuille est bloqué après trop de codes PIN erronés. ${notChargedFr} Réessayez plus tard, ou payez avec un autre portefeuille.`,
  ),
  insufficient_funds: declined(
    'the wallet does not have enough money',
    `your balance is too low. ${notCharged} Top up your wallet and try again, or pay with another wallet.`,
    `votre solde est insuffisant. ${notChargedFr} Rechargez votre portefeuille et réessayez, ou payez avec un autre portefeuille.`,
  ),
  limit_exceeded: declined(
    'the amount exceeds the limit of the wallet',
    `the amount exceeds the limit of your wallet. ${notCharged} Try again later, or pay with another wallet.`,
    `le montant dépasse le plafond de votre portefeuille. ${notChargedFr} Réessayez plus tard, ou payez avec un autre portefeuille.`,
  ),
  declined: declined(
    'the wallet declined it without a known reason',
    `your wallet declined it. ${notCharged} Try again later, or pay with another wallet.`,
    `votre portefeuille l’a refusé. ${notChargedFr} Réessayez plus tard, ou payez avec un autre portefeuille.`,
  ),
  technical_error: failed(
    'the wallet had a technical error',
    'your wallet had a technical error.',
    'votre portefeuille a rencontré une erreur technique.',
  ),
  wallet_closed: failed('the wallet is closed', 'your wallet is closed.', 'votre portefeuille est fermé.'),
  requested_by_merchant: closed(
    'The merchant cancelled the request.',
    'The merchant cancelled this payment request.',
    'Le commerçant a annulé cette demande de paiement.',
  ),
  cancelled_by_operator: closed(
    'An operator cancelled the request.',
    'This payment request was cancelled.',
    'Cette demande de paiement a été annulée.',
  ),
  expired: closed('The request expired.', 'This payment request has expired.', 'Cette demande de paiement a expiré.'),
  paid: {
    happened: ({ amount, paidAt }) => `The customer paid ${amount} on ${paidAt}.`,
    next: () =>
      'Nothing more happens to the payment. If the merchant does not know about it, look at the webhooks on this page.',
    en: ({ amount, paidAt, reference }) =>
      `Your payment of ${amount} was confirmed on ${paidAt}. Its reference is ${reference}. For your order, please contact the merchant.`,
    fr: ({ amount, paidAt, reference }) =>
      `Votre paiement de ${amount} a été confirmé le ${paidAt}. Sa référence est ${reference}. Pour votre commande, veuillez contacter le commerçant.`,
  },
  ...refundSentences,
}
