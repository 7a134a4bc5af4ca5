import { createTestIntentBody, maxRefunds, statuses } from '../intents.ts'
import { cancellations, declines, failures } from '../payment-reasons.ts'
import {
  amount,
  count,
  currency,
  described,
  instant,
  instantOrNull,
  objectOf,
  orNull,
  pageOf,
  reference,
  sandbox,
  shaped,
  text,
  textOrNull,
  url,
  urlOrNull,
  withoutNul,
} from './fields.ts'

const code = shaped('^[0-9]{6}$', 6)

const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata
const metadata = {
  type: 'object',
  maxProperties,
  propertyNames: { minLength: 1, maxLength: propertyNames.maxLength, pattern: withoutNul },
  additionalProperties: text(500),
}

const createdFields = {
  referenceNumber: described('Identifies the intent in all other operations.', reference),
  shortCode: described('The last part of `payUrl`.', shaped('^[0-9A-Z]{6}$', 6)),
  code: described('The payment code, with which the customer pays at a counter.', code),
  codeExpiresAt: described('When `code` stops working.', instant),
  codeUrl: described('The page where the customer types `code`.', url),
  payUrl: described('The page where the customer pays.', url),
  amount: described('Centimes. Null for an OPEN intent.', { ...amount, type: ['integer', 'null'] }),
  amountType: described('FIXED: you set the amount. OPEN: the customer chooses it.', {
    type: 'string',
    enum: ['FIXED', 'OPEN'],
  }),
  currency,
  label: described('The text that the customer sees.', textOrNull(200)),
  merchantReference: described('Your own reference of the payment. Null if you sent none.', textOrNull(64)),
  status: { type: 'string', const: 'PENDING' },
  sandbox,
  metadata: described('The data that you sent when you created the intent.', metadata),
  expiresAt: described('When the intent becomes CANCELLED if it is not paid.', instant),
  createdAt: instant,
}

/** Fields that never change. Events contain them too, with their names in snake_case (event-bodies.ts). */
export const eventFields = {
  referenceNumber: described('The `referenceNumber` of the payment intent.', reference),
  shortCode: createdFields.shortCode,
  merchantReference: createdFields.merchantReference,
  currency,
  metadata: createdFields.metadata,
}

/** See SPEC 4.1.. */
export const createdIntent = objectOf(createdFields)

const commission = objectOf({
  providerTtc: described('Your fee.', count),
  payerTtc: described("The customer's fee.", count),
  tof: described('The tax TOF.', count),
  tte: described('The tax TTE.', count),
  totalRevenue: described('The fees without the taxes.', count),
})

export const payment = objectOf({
  amountPaid: described('Centimes, without any fee that the customer pays.', amount),
  paidAt: instant,
  method: { type: 'string', const: 'WALLET' },
  commission: described(
    'Centimes. The fees and the taxes that they include. Null for a publishable key.',
    orNull(commission),
  ),
})

/** In responses while it's PENDING and once it has SUCCEEDED. It's gone if the wallet doesn't carry it out. */
export const refund = objectOf({
  id: shaped('^RF-[0-9A-Z]{16}$', 19),
  amount: described('Centimes.', amount),
  returnedFees: described(
    'Centimes. The parts of the fees that the refund gives back. Null for a publishable key.',
    orNull(
      objectOf({
        providerTtc: described('The part of your fee that you get back.', count),
        payerTtc: described(
          "The part of the customer's fee, which the customer gets back in addition to the amount.",
          count,
        ),
      }),
    ),
  ),
  currency,
  reason: described('The note that you sent. Null for a publishable key.', textOrNull(200)),
  status: described('PENDING until the wallet confirms the refund.', {
    type: 'string',
    enum: ['PENDING', 'SUCCEEDED'],
  }),
  createdAt: instant,
  refundedAt: described('When it succeeded. Null while PENDING.', instantOrNull),
})

/** Responses contain the latest failed payment until one for the intent succeeds. */
export const paymentFailure = objectOf({
  code: described('Why the payment failed.', { type: 'string', enum: [...declines, ...failures] }),
  retryable: described('Whether the customer can try again.', { type: 'boolean' }),
})

const readFields = {
  ...createdFields,
  code: described('The payment code, with which the customer pays at a counter. Null once it no longer works.', {
    ...code,
    type: ['string', 'null'],
  }),
  codeExpiresAt: described('When `code` stops working. Null once it no longer works.', instantOrNull),
  codeUrl: described('The page where the customer types `code`. Null if `code` is null.', urlOrNull),
  status: { type: 'string', enum: statuses },
  type: { type: 'string', const: 'API' },
  payment: described('Null until the intent is paid.', orNull(payment)),
  refunds: described('Oldest first.', { type: 'array', maxItems: maxRefunds, items: refund }),
  totalAmountRefunded: described('Centimes. The sum of the refunds that SUCCEEDED.', count),
  updatedAt: instant,
}

const readSometimes = {
  cancellationReason: described('Present only if the status is CANCELLED.', {
    type: 'string',
    enum: cancellations,
  }),
  failure: paymentFailure,
}

export const intent = objectOf(readFields, readSometimes)

export const refundedIntent = objectOf({ ...readFields, refund }, readSometimes)

export const intentPage = pageOf(intent)
