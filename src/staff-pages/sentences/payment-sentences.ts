import { walletReasonLabels } from '../format.ts'
import { byLanguage, type CallerAdvice, type CallerText, createAdvice } from './advice.ts'
import type { PaymentState } from './payment-state.ts'

const newRequest = 'The request can no longer be paid. The merchant can create a new one.'

const repeat = byLanguage('Please try again.', 'Réessayez.', 'حاول مجددًا.')
const repeatLater = byLanguage(
  'Try again later, or pay with another wallet.',
  'Réessayez plus tard, ou payez avec un autre portefeuille.',
  'حاول لاحقًا، أو ادفع بمحفظة أخرى.',
)

/** All texts except `why` are meant for the caller. */
const declined = (why: string, remedy: CallerText, en: string, fr: string, ar: string): CallerAdvice =>
  createAdvice(
    `The payment of {amount} on {since} did not go through: ${why}.`,
    'No money moved. The customer can try again until {expiresAt}.',
    `Your payment of {amount} did not go through: ${en}. {notCharged} ${remedy.en}`,
    `Votre paiement de {amount} n’a pas abouti\u00a0: ${fr}. {notCharged} ${remedy.fr}`,
    `لم تنجح عملية دفع {amount}: ${ar}. {notCharged} ${remedy.ar}`,
  )

const failed = (why: string, en: string, fr: string, ar: string): CallerAdvice =>
  createAdvice(
    `The payment of {amount} on {since} failed permanently: ${why}.`,
    `No money moved. ${newRequest}`,
    `Your payment of {amount} failed: ${en}. {notCharged} Ask the merchant for a new payment link.`,
    `Votre paiement de {amount} a échoué\u00a0: ${fr}. {notCharged} Demandez au commerçant de vous envoyer un nouveau lien de paiement.`,
    `فشلت عملية دفع {amount}: ${ar}. {notCharged} اطلب من التاجر أن يرسل إليك رابط دفع جديدًا.`,
  )

const closed = (happened: string, en: string, fr: string, ar: string): CallerAdvice =>
  createAdvice(
    `${happened} No payment was made.`,
    newRequest,
    `${en} {notCharged} Ask the merchant for a new one if you still want to pay.`,
    `${fr} {notCharged} Si vous voulez encore payer, demandez-en une nouvelle au commerçant.`,
    `${ar} {notCharged} إذا كنت لا تزال تريد الدفع، فاطلب من التاجر طلبًا جديدًا.`,
  )

const callProvider =
  'The service queries the wallet at least once a minute (next query: {queryAt}). No command speeds this up. If the outcome is still unknown after ten minutes, call an operator, who will call the provider and quote the key {key}.'

export const paymentSentences: Record<PaymentState, CallerAdvice> = {
  unpaid: createAdvice(
    'No customer has attempted to pay {amount} yet.',
    'The customer can pay until {expiresAt}. Then the request expires.',
    'We have not received a payment for this request yet. You can pay with the link or the code until {codeExpiresAt}.',
    'Nous n’avons pas encore reçu de paiement pour cette demande. Vous pouvez payer avec le lien ou le code jusqu’au {codeExpiresAt}.',
    'لم نتلقَّ بعدُ أي دفعة لهذا الطلب. يمكنك الدفع بالرابط أو بالرمز حتى {codeExpiresAt}.',
  ),
  'code-expired': createAdvice(
    'No customer has attempted to pay. The payment code expired on {codeExpiresAt}.',
    'The customer can pay with the link until {expiresAt}. Then the request expires.',
    'The payment code is no longer valid, but you can pay with the link until {expiresAt}. {notCharged}',
    'Le code de paiement n’est plus valable, mais vous pouvez payer avec le lien jusqu’au {expiresAt}. {notCharged}',
    'انتهت صلاحية رمز الدفع، لكن يمكنك الدفع بالرابط حتى {expiresAt}. {notCharged}',
  ),
  suspended: createAdvice(
    'The business is suspended, so its customers cannot pay.',
    'An admin or an operator can resume the business. If that does not happen before {expiresAt}, the request expires.',
    'This payment is not possible at the moment. {notCharged} Please contact the merchant.',
    'Ce paiement n’est pas possible pour le moment. {notCharged} Contactez le commerçant.',
    'لا يمكن إجراء هذا الدفع حاليًا. {notCharged} تواصل مع التاجر.',
  ),
  paying: createAdvice(
    'A payment of {amount} was sent to the wallet on {since}. The wallet has not reported the outcome yet.',
    'The service waits for the wallet, and queries it if there is no response. The wallet must not carry out the payment after {validUntil}. Until the outcome is known, no one can pay or cancel, and the request does not expire.',
    'Your payment of {amount} is being processed. Please wait a moment, and do not pay a second time.',
    'Votre paiement de {amount} est en cours de traitement. Merci de patienter un instant et de ne pas payer une deuxième fois.',
    'عملية دفع {amount} قيد التنفيذ. انتظر لحظة ولا تدفع مرة ثانية.',
  ),
  'unknown-payment': createAdvice(
    'The wallet has not reported the outcome of a payment of {amount} that began on {since}. The money is safe: either the wallet has already moved it, and the payment will be recorded, or the wallet can no longer move it, because the payment became void on {validUntil}. Meanwhile, no one can pay a second time.',
    callProvider,
    'We do not know yet whether your payment of {amount} was made. We keep checking with your wallet. Please do not pay a second time. If you were charged, the payment will be recorded as soon as your wallet confirms it. If not, you will not be charged later.',
    'Nous ne savons pas encore si votre paiement de {amount} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. Ne payez pas une deuxième fois. Si vous avez été débité, le paiement sera enregistré dès que votre portefeuille l’aura confirmé. Sinon, vous ne serez pas débité plus tard.',
    'لا نعرف بعدُ هل تمت عملية دفع {amount}. نواصل التحقق لدى محفظتك. لا تدفع مرة ثانية. إذا خُصم المبلغ منك، فستُسجَّل العملية فور أن تؤكدها محفظتك. وإلا، فلن يُخصم منك لاحقًا.',
  ),
  'not-executed': declined(
    'the wallet did not carry it out',
    repeat,
    'your wallet did not carry it out',
    'votre portefeuille ne l’a pas exécuté',
    'لم تنفذها محفظتك',
  ),
  wrong_pin: declined(
    `${walletReasonLabels.wrong_pin}. The merchant is not notified`,
    byLanguage('Check both and try again.', 'Vérifiez les deux et réessayez.', 'تحقق منهما ثم حاول مجددًا.'),
    'the phone number or the PIN is wrong',
    'le numéro de téléphone ou le code PIN est incorrect',
    'رقم الهاتف أو الرمز السري غير صحيح',
  ),
  wallet_locked: declined(
    `${walletReasonLabels.wallet_locked}. The merchant is not notified`,
    repeatLater,
    'your wallet is locked after too many wrong PINs',
    'votre portefeuille est bloqué après trop de codes PIN incorrects',
    'قُفلت محفظتك بعد إدخال الرمز السري خطأً عدة مرات',
  ),
  insufficient_funds: declined(
    walletReasonLabels.insufficient_funds,
    byLanguage(
      'Top up your wallet and try again, or pay with another wallet.',
      'Rechargez votre portefeuille, puis réessayez, ou payez avec un autre portefeuille.',
      'اشحن محفظتك ثم حاول مجددًا، أو ادفع بمحفظة أخرى.',
    ),
    'your balance is too low',
    'votre solde est insuffisant',
    'رصيدك غير كافٍ',
  ),
  limit_exceeded: declined(
    walletReasonLabels.limit_exceeded,
    repeatLater,
    'the amount exceeds the limit of your wallet',
    'le montant dépasse le plafond de votre portefeuille',
    'المبلغ يتجاوز الحد المسموح به لمحفظتك',
  ),
  declined: declined(
    walletReasonLabels.declined,
    repeatLater,
    'your wallet declined it',
    'votre portefeuille l’a refusé',
    'رفضتها محفظتك',
  ),
  technical_error: failed(
    walletReasonLabels.technical_error,
    'your wallet had a technical error',
    'votre portefeuille a rencontré une erreur technique',
    'حدث خطأ تقني في محفظتك',
  ),
  wallet_closed: failed(
    walletReasonLabels.wallet_closed,
    'your wallet is closed',
    'votre portefeuille est fermé',
    'محفظتك مغلقة',
  ),
  requested_by_merchant: closed(
    'The merchant cancelled the request.',
    'The merchant cancelled this payment request.',
    'Le commerçant a annulé cette demande de paiement.',
    'ألغى التاجر طلب الدفع هذا.',
  ),
  cancelled_by_operator: closed(
    'An operator cancelled the request.',
    'This payment request was cancelled.',
    'Cette demande de paiement a été annulée.',
    'أُلغي طلب الدفع هذا.',
  ),
  expired: closed(
    'The request expired.',
    'This payment request has expired.',
    'Cette demande de paiement a expiré.',
    'انتهت مهلة طلب الدفع هذا.',
  ),
  paid: createAdvice(
    'The customer paid {amount} on {paidAt}.',
    'Nothing more happens to the payment. If the merchant does not know about it, look at the webhooks on this page.',
    'Your payment of {amount} was confirmed on {paidAt}. Its reference is {reference}. If you have questions about your order, please contact the merchant.',
    'Votre paiement de {amount} a été confirmé le {paidAt}. Sa référence est {reference}. Pour votre commande, contactez le commerçant.',
    'تم تأكيد دفع {amount} بتاريخ {paidAt}. المرجع: {reference}. وبشأن طلبيتك، تواصل مع التاجر.',
  ),
  refunding: createAdvice(
    'A refund of {refund} was sent to the wallet on {since}. The wallet has not reported the outcome yet.',
    'The service waits for the wallet, and queries it if there is no response. The wallet must not carry out the refund after {validUntil}. Meanwhile, the merchant cannot refund this amount a second time.',
    'Your refund of {refund} is being processed. Please wait a moment.',
    'Votre remboursement de {refund} est en cours de traitement. Merci de patienter un instant.',
    'استرداد مبلغ {refund} قيد المعالجة. انتظر لحظة.',
  ),
  'unknown-refund': createAdvice(
    'The wallet has not reported the outcome of a refund of {refund} that began on {since}. The money is safe: either the wallet has already paid it back, and the refund will be recorded, or the wallet may no longer pay it back, because the refund became void on {validUntil}. Meanwhile, the merchant cannot refund this amount a second time.',
    callProvider,
    'We do not know yet whether your refund of {refund} was made. We keep checking with your wallet. If it was not made, the merchant can refund you again.',
    'Nous ne savons pas encore si votre remboursement de {refund} a été effectué. Nous continuons de vérifier auprès de votre portefeuille. S’il ne l’a pas été, le commerçant pourra vous rembourser à nouveau.',
    'لا نعرف بعدُ هل تم استرداد مبلغ {refund}. نواصل التحقق لدى محفظتك. إذا لم يتم، فبإمكان التاجر أن يعيد العملية.',
  ),
  'refund-failed': createAdvice(
    'The refund of {refund} on {since} did not go through. No money moved.',
    'The merchant can refund again. The reason is in the timeline.',
    'The refund of {refund} did not go through. Please ask the merchant to refund you again.',
    'Le remboursement de {refund} n’a pas abouti. Demandez au commerçant de vous rembourser à nouveau.',
    'لم تنجح عملية استرداد مبلغ {refund}. اطلب من التاجر أن يعيد العملية.',
  ),
  'refunded-in-part': createAdvice(
    'The merchant refunded {refunded} of the {amount} that the customer paid.',
    'The merchant can refund the rest.',
    'You paid {amount}, and {refunded} of it has been refunded to the wallet you used. For the rest, please contact the merchant.',
    'Sur votre paiement de {amount}, {refunded} ont été remboursés sur le portefeuille utilisé pour payer. Pour le reste, contactez le commerçant.',
    'من أصل المبلغ الذي دفعته، وهو {amount}، أُعيد {refunded} إلى المحفظة التي دفعت بها. وبشأن الباقي، تواصل مع التاجر.',
  ),
  refunded: createAdvice(
    'The merchant refunded all of the {amount} that the customer paid.',
    'Nothing more happens to the payment.',
    'Your payment of {amount} has been refunded in full to the wallet you used.',
    'Votre paiement de {amount} a été remboursé en totalité sur le portefeuille utilisé pour payer.',
    'أُعيد كامل المبلغ الذي دفعته، وهو {amount}، إلى المحفظة التي دفعت بها.',
  ),
}
