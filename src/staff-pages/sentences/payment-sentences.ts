import type { CallerText, Sentences } from './advice.ts'
import type { PaymentState, RefundState } from './payment-state.ts'

/** Formatted for one language. */
export interface PaymentFacts {
  /** That nothing was taken, in the words of the payment page. */
  notCharged: string
  reference: string
  /**
   * Total of the payment in progress, of the one that was made, of the last one that failed, or the total to pay.
   * Totals are what leaves or reaches the wallet (payment-advice.ts), because a customer sees no other amounts there.
   */
  amount: string
  /** Sum of the successful refunds. */
  refunded: string
  /** What the refund in question gives back. */
  refund: string
  /** When the order in question began, when it becomes void, and when the service next queries the wallet. */
  since: string
  validUntil: string
  queryAt: string
  /** The wallet knows the order in question by this key. */
  key: string
  paidAt: string
  codeExpiresAt: string
  expiresAt: string
}

/** What to do about an order whose outcome is unknown. */
const callProvider = ({ queryAt, key }: PaymentFacts) =>
  `The service queries the wallet at least once a minute, next on ${queryAt}. No command can end the wait. If the outcome is still unknown after ten minutes, call an operator, who calls the provider and names the key ${key}.`

const refundSentences: Record<RefundState, Sentences<PaymentFacts>> = {
  refunding: {
    happened: ({ refund, since }) =>
      `A refund of ${refund} was sent to the wallet on ${since}. The wallet has not reported the outcome yet.`,
    next: ({ validUntil }) =>
      `The service waits for the wallet, and queries it if it does not respond. The wallet must not carry out the refund after ${validUntil}. Meanwhile, the merchant cannot refund this amount a second time.`,
    en: ({ refund }) => `Your refund of ${refund} is being processed. Please wait a moment.`,
    fr: ({ refund }) =>
      `Votre remboursement de ${refund} est en cours de traitement. Merci de patienter un instant.`,
    ar: ({ refund }) => `استرداد مبلغ ${refund} قيد المعالجة. انتظر لحظة.`,
  },
  'unknown-refund': {
    happened: ({ refund, since, validUntil }) =>
      `The wallet has not reported the outcome of a refund of ${refund} that began on ${since}. The money is safe: either the wallet has already paid it back, and the refund will be recorded, or the wallet must not pay it any more, because the refund became void on ${validUntil}. Meanwhile, the merchant cannot refund this amount a second time.`,
    next: callProvider,
    en: ({ refund }) =>
      `We do not know yet whether your refund of ${refund} was made. We keep checking with your wallet. If it was not made, the merchant can refund you again.`,
    fr: ({ refund }) =>
      `Nous ne savons pas encore si votre remboursement de ${refund} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. S’il ne l’a pas été, le commerçant pourra vous rembourser à nouveau.`,
    ar: ({ refund }) =>
      `لا نعرف بعدُ هل تم استرداد مبلغ ${refund}. نواصل التحقق لدى محفظتك. إذا لم يتم، فبإمكان التاجر أن يعيد العملية.`,
  },
  'refund-failed': {
    happened: ({ refund, since }) =>
      `The refund of ${refund} on ${since} did not go through. No money moved.`,
    next: () => 'The merchant can refund again. The reason is in the timeline.',
    en: ({ refund }) =>
      `The refund of ${refund} did not go through. Please ask the merchant to refund you again.`,
    fr: ({ refund }) =>
      `Le remboursement de ${refund} n’a pas abouti. Demandez au commerçant de vous rembourser à nouveau.`,
    ar: ({ refund }) => `لم تنجح عملية استرداد مبلغ ${refund}. اطلب من التاجر أن يعيد العملية.`,
  },
  'refunded-in-part': {
    happened: ({ amount, refunded }) =>
      `The merchant refunded ${refunded} of the ${amount} that the customer paid.`,
    next: () => 'The merchant can refund the rest.',
    en: ({ amount, refunded }) =>
      `Of your payment of ${amount}, ${refunded} has been refunded to the wallet that paid. For the rest, please contact the merchant.`,
    fr: ({ amount, refunded }) =>
      `Sur votre paiement de ${amount}, ${refunded} ont été remboursés sur le portefeuille utilisé pour payer. Pour le reste, contactez le commerçant.`,
    ar: ({ amount, refunded }) =>
      `من أصل المبلغ الذي دفعته، وهو ${amount}، أُعيد ${refunded} إلى المحفظة التي دفعت بها. وبشأن الباقي، تواصل مع التاجر.`,
  },
  refunded: {
    happened: ({ amount }) => `The merchant refunded all of the ${amount} that the customer paid.`,
    next: () => 'Nothing more happens to the payment.',
    en: ({ amount }) => `Your payment of ${amount} has been refunded in full to the wallet that paid.`,
    fr: ({ amount }) =>
      `Votre paiement de ${amount} a été remboursé en totalité sur le portefeuille utilisé pour payer.`,
    ar: ({ amount }) => `أُعيد كامل المبلغ الذي دفعته، وهو ${amount}، إلى المحفظة التي دفعت بها.`,
  },
}

const newRequest = 'The request can no longer be paid. The merchant can create a new one.'
const canRetry = ({ expiresAt }: PaymentFacts) =>
  `No money moved. The customer can try again until ${expiresAt}.`

const repeat: CallerText = { en: 'Please try again.', fr: 'Réessayez.', ar: 'حاول مجددًا.' }
const repeatLater: CallerText = {
  en: 'Try again later, or pay with another wallet.',
  fr: 'Réessayez plus tard, ou payez avec un autre portefeuille.',
  ar: 'حاول لاحقًا، أو ادفع بمحفظة أخرى.',
}

/** The customer can pay again. `reason` and `remedy` are for the caller. */
const declined = (why: string, reason: CallerText, remedy: CallerText): Sentences<PaymentFacts> => ({
  happened: ({ amount, since }) => `The payment of ${amount} on ${since} did not go through: ${why}.`,
  next: canRetry,
  en: ({ amount, notCharged }) =>
    `Your payment of ${amount} did not go through: ${reason.en}. ${notCharged} ${remedy.en}`,
  fr: ({ amount, notCharged }) =>
    `Votre paiement de ${amount} n’a pas abouti\u00a0: ${reason.fr}. ${notCharged} ${remedy.fr}`,
  ar: ({ amount, notCharged }) => `لم تنجح عملية دفع ${amount}: ${reason.ar}. ${notCharged} ${remedy.ar}`,
})

const failed = (why: string, reason: CallerText): Sentences<PaymentFacts> => ({
  happened: ({ amount, since }) => `The payment of ${amount} on ${since} failed permanently: ${why}.`,
  next: () => `No money moved. ${newRequest}`,
  en: ({ amount, notCharged }) =>
    `Your payment of ${amount} failed: ${reason.en}. ${notCharged} Ask the merchant for a new payment link.`,
  fr: ({ amount, notCharged }) =>
    `Votre paiement de ${amount} a échoué\u00a0: ${reason.fr}. ${notCharged} Demandez au commerçant de vous envoyer un nouveau lien de paiement.`,
  ar: ({ amount, notCharged }) =>
    `فشلت عملية دفع ${amount}: ${reason.ar}. ${notCharged} اطلب من التاجر أن يرسل إليك رابط دفع جديدًا.`,
})

/** For a request that was cancelled or has expired. */
const closed = (happened: string, { en, fr, ar }: CallerText): Sentences<PaymentFacts> => ({
  happened: () => `${happened} No payment was made.`,
  next: () => newRequest,
  en: ({ notCharged }) => `${en} ${notCharged} Ask the merchant for a new one if you still want to pay.`,
  fr: ({ notCharged }) =>
    `${fr} ${notCharged} Si vous voulez encore payer, demandez-en une nouvelle au commerçant.`,
  ar: ({ notCharged }) => `${ar} ${notCharged} إذا كنت لا تزال تريد الدفع، فاطلب من التاجر طلبًا جديدًا.`,
})

export const paymentSentences: Record<PaymentState, Sentences<PaymentFacts>> = {
  unpaid: {
    happened: ({ amount }) => `No customer has attempted to pay ${amount} yet.`,
    next: ({ expiresAt }) => `The customer can pay until ${expiresAt}. Then the request expires.`,
    en: ({ codeExpiresAt }) =>
      `We have not received a payment for this request yet. You can pay with the link or the code until ${codeExpiresAt}.`,
    fr: ({ codeExpiresAt }) =>
      `Nous n’avons pas encore reçu de paiement pour cette demande. Vous pouvez payer avec le lien ou le code jusqu’au ${codeExpiresAt}.`,
    ar: ({ codeExpiresAt }) =>
      `لم نتلقَّ بعدُ أي دفعة لهذا الطلب. يمكنك الدفع بالرابط أو بالرمز حتى ${codeExpiresAt}.`,
  },
  'code-expired': {
    happened: ({ codeExpiresAt }) =>
      `No customer has attempted to pay. The payment code expired on ${codeExpiresAt}.`,
    next: ({ expiresAt }) =>
      `The customer can pay with the link until ${expiresAt}. Then the request expires.`,
    en: ({ expiresAt, notCharged }) =>
      `The payment code is no longer valid, but you can pay with the link until ${expiresAt}. ${notCharged}`,
    fr: ({ expiresAt, notCharged }) =>
      `Le code de paiement n’est plus valable, mais vous pouvez payer avec le lien jusqu’au ${expiresAt}. ${notCharged}`,
    ar: ({ expiresAt, notCharged }) =>
      `انتهت صلاحية رمز الدفع، لكن يمكنك الدفع بالرابط حتى ${expiresAt}. ${notCharged}`,
  },
  suspended: {
    happened: () => 'The business is suspended, so its customers cannot pay.',
    next: ({ expiresAt }) =>
      `An admin or an operator can resume the business. If that does not happen before ${expiresAt}, the request expires.`,
    en: ({ notCharged }) =>
      `This payment is not possible at the moment. ${notCharged} Please contact the merchant.`,
    fr: ({ notCharged }) =>
      `Ce paiement n’est pas possible pour le moment. ${notCharged} Contactez le commerçant.`,
    ar: ({ notCharged }) => `لا يمكن إجراء هذا الدفع حاليًا. ${notCharged} تواصل مع التاجر.`,
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
    ar: ({ amount }) => `عملية دفع ${amount} قيد التنفيذ. انتظر لحظة ولا تدفع مرة ثانية.`,
  },
  'unknown-payment': {
    happened: ({ amount, since, validUntil }) =>
      `The wallet has not reported the outcome of a payment of ${amount} that began on ${since}. The money is safe: either the wallet has already moved it, and the payment will be recorded, or the wallet must not move it any more, because the payment became void on ${validUntil}. Meanwhile, no one can pay a second time.`,
    next: callProvider,
    en: ({ amount }) =>
      `We do not know yet whether your payment of ${amount} was made. We keep checking with your wallet. Please do not pay a second time. If you were charged, the payment will be recorded as soon as your wallet confirms it. If not, you will not be charged later.`,
    fr: ({ amount }) =>
      `Nous ne savons pas encore si votre paiement de ${amount} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. Ne payez pas une deuxième fois. Si vous avez été débité, le paiement sera enregistré dès que votre portefeuille l’aura confirmé. Sinon, vous ne serez pas débité plus tard.`,
    ar: ({ amount }) =>
      `لا نعرف بعدُ هل تمت عملية دفع ${amount}. نواصل التحقق لدى محفظتك. لا تدفع مرة ثانية. إذا خُصم المبلغ منك، فستُسجَّل العملية فور أن تؤكدها محفظتك. وإلا، فلن يُخصم منك لاحقًا.`,
  },
  'not-executed': declined(
    'the wallet did not carry it out',
    {
      en: 'your wallet did not carry it out',
      fr: 'votre portefeuille ne l’a pas exécuté',
      ar: 'لم تنفذها محفظتك',
    },
    repeat,
  ),
  wrong_pin: declined(
    'the phone number or the PIN is wrong. The merchant is not notified',
    {
      en: 'the phone number or the PIN is wrong',
      fr: 'le numéro de téléphone ou le code PIN est incorrect',
      ar: 'رقم الهاتف أو الرمز السري غير صحيح',
    },
    {
      en: 'Check both and try again.',
      fr: 'Vérifiez les deux et réessayez.',
      ar: 'تحقق منهما ثم حاول مجددًا.',
    },
  ),
  wallet_locked: declined(
    'the wallet is locked after too many wrong PINs. The merchant is not notified',
    {
      en: 'your wallet is locked after too many wrong PINs',
      fr: 'votre portefeuille est bloqué après trop de codes PIN incorrects',
      ar: 'قُفلت محفظتك بعد إدخال الرمز السري خطأً عدة مرات',
    },
    repeatLater,
  ),
  insufficient_funds: declined(
    'the wallet does not have enough money',
    { en: 'your balance is too low', fr: 'votre solde est insuffisant', ar: 'رصيدك غير كافٍ' },
    {
      en: 'Top up your wallet and try again, or pay with another wallet.',
      fr: 'Rechargez votre portefeuille, puis réessayez, ou payez avec un autre portefeuille.',
      ar: 'اشحن محفظتك ثم حاول مجددًا، أو ادفع بمحفظة أخرى.',
    },
  ),
  limit_exceeded: declined(
    'the amount exceeds the limit of the wallet',
    {
      en: 'the amount exceeds the limit of your wallet',
      fr: 'le montant dépasse le plafond de votre portefeuille',
      ar: 'المبلغ يتجاوز الحد المسموح به لمحفظتك',
    },
    repeatLater,
  ),
  declined: declined(
    'the wallet declined it without a known reason',
    { en: 'your wallet declined it', fr: 'votre portefeuille l’a refusé', ar: 'رفضتها محفظتك' },
    repeatLater,
  ),
  technical_error: failed('the wallet had a technical error', {
    en: 'your wallet had a technical error',
    fr: 'votre portefeuille a rencontré une erreur technique',
    ar: 'حدث خطأ تقني في محفظتك',
  }),
  wallet_closed: failed('the wallet is closed', {
    en: 'your wallet is closed',
    fr: 'votre portefeuille est fermé',
    ar: 'محفظتك مغلقة',
  }),
  requested_by_merchant: closed('The merchant cancelled the request.', {
    en: 'The merchant cancelled this payment request.',
    fr: 'Le commerçant a annulé cette demande de paiement.',
    ar: 'ألغى التاجر طلب الدفع هذا.',
  }),
  cancelled_by_operator: closed('An operator cancelled the request.', {
    en: 'This payment request was cancelled.',
    fr: 'Cette demande de paiement a été annulée.',
    ar: 'أُلغي طلب الدفع هذا.',
  }),
  expired: closed('The request expired.', {
    en: 'This payment request has expired.',
    fr: 'Cette demande de paiement a expiré.',
    ar: 'انتهت مهلة طلب الدفع هذا.',
  }),
  paid: {
    happened: ({ amount, paidAt }) => `The customer paid ${amount} on ${paidAt}.`,
    next: () =>
      'Nothing more happens to the payment. If the merchant does not know about it, look at the webhooks on this page.',
    en: ({ amount, paidAt, reference }) =>
      `Your payment of ${amount} was confirmed on ${paidAt}. Its reference is ${reference}. For your order, please contact the merchant.`,
    fr: ({ amount, paidAt, reference }) =>
      `Votre paiement de ${amount} a été confirmé le ${paidAt}. Sa référence est ${reference}. Pour votre commande, contactez le commerçant.`,
    ar: ({ amount, paidAt, reference }) =>
      `تم تأكيد دفع ${amount} بتاريخ ${paidAt}. المرجع: ${reference}. وبشأن طلبيتك، تواصل مع التاجر.`,
  },
  ...refundSentences,
}
