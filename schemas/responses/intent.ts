import { createTestIntentBody } from '../create-intent.ts'
import { statuses } from '../list-intents.ts'
import { cancellations, declines, failures } from '../payment-reasons.ts'
import { mostRefunds } from '../refund.ts'
import {
  amount,
  count,
  currency,
  instant,
  instantOrNull,
  objectOf,
  orNull,
  reference,
  sandbox,
  saying,
  shaped,
  text,
  textOrNull,
  url,
} from './fields.ts'
import { pageOf } from './page.ts'

const code = shaped('^[0-9]{6}$', 6)

const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata
const metadata = { type: 'object', maxProperties, propertyNames, additionalProperties: text(500) }

const createdFields = {
  referenceNumber: saying('Identifies the intent in every other operation.', reference),
  shortCode: saying('The end of `payUrl`.', shaped('^[0-9A-Z]{6}$', 6)),
  code: saying('The code that the customer types at a counter.', code),
  codeExpiresAt: instant,
  payUrl: saying('The page on which the customer pays.', url),
  amount: saying('Centimes. Null for OPEN.', { ...amount, type: ['integer', 'null'] }),
  amountType: { type: 'string', enum: ['FIXED', 'OPEN'] },
  currency,
  label: textOrNull(200),
  status: { type: 'string', const: 'PENDING' },
  sandbox,
  metadata,
  expiresAt: saying('When the intent becomes CANCELLED unless it is paid.', instant),
  createdAt: instant,
}

/** The response to a create (SPEC 4.1). */
export const createdIntent = objectOf(createdFields, {})

export const payment = objectOf(
  {
    amountPaid: saying('Centimes.', amount),
    paidAt: instant,
    method: { type: 'string', const: 'WALLET' },
  },
  {},
)

/** A refund that the wallet refused is not listed. */
export const refund = objectOf(
  {
    id: shaped('^RF-[0-9A-Z]{16}$', 19),
    amount: saying('Centimes.', amount),
    currency,
    reason: saying('Your own note; null for a publishable key.', textOrNull(200)),
    status: saying('PENDING while it is not known whether the money went back.', {
      type: 'string',
      enum: ['PENDING', 'SUCCEEDED'],
    }),
    createdAt: instant,
  },
  {},
)

/** Present after a failed payment, until a payment succeeds. */
export const paymentFailure = objectOf(
  {
    code: {
      type: 'string',
      enum: [...declines, ...failures],
    },
    retryable: saying('Whether the customer may try again.', { type: 'boolean' }),
  },
  {},
)

const readFields = {
  ...createdFields,
  code: saying('Null once it no longer works.', { ...code, type: ['string', 'null'] }),
  codeExpiresAt: instantOrNull,
  status: { type: 'string', enum: statuses },
  type: { type: 'string', const: 'API' },
  payment: orNull(payment),
  refunds: { type: 'array', maxItems: mostRefunds, items: refund },
  totalAmountRefunded: saying('Centimes of the refunds that SUCCEEDED.', count),
  updatedAt: instant,
}

const readSometimes = {
  cancellationReason: saying('Only when CANCELLED.', {
    type: 'string',
    enum: cancellations,
  }),
  failure: paymentFailure,
}

/** An intent in a response: all of SPEC 2.1. */
export const intent = objectOf(readFields, readSometimes)

/** The response to a refund. */
export const refundedIntent = objectOf({ ...readFields, refund }, readSometimes)

export const intentPage = pageOf(intent)
