import { currencyCode } from '../../../schemas/currency.ts'
import { referenceNumber, refundId } from './intents-example.ts'

const day = '2026-11-01'
const bookedAt = `${day}T07:40:02.331Z`

export const balance = { currency: currencyCode, amount: 29_400, asOf: `${day}T07:52:11.070Z` }

export const entry = {
  id: '6926b1f2c41d9a0e7f3b5d10',
  number: 1,
  type: 'payment',
  amount: 50_000,
  balance: 50_000,
  referenceNumber,
  merchantReference: null,
  refundId: null,
  payoutReference: null,
  day,
  bookedAt,
}

export const refund = {
  id: refundId,
  referenceNumber,
  merchantReference: null,
  amount: 20_000,
  currency: currencyCode,
  reason: 'One item came back',
  status: 'SUCCEEDED',
  returnedFees: { providerTtc: 400, payerTtc: 200 },
  createdAt: `${day}T07:44:31.905Z`,
  refundedAt: `${day}T07:44:31.996Z`,
  bookedAt: `${day}T07:44:32.012Z`,
}

export const statement = {
  day,
  opening: 0,
  payments: { count: 1, amount: 50_000 },
  refunds: { count: 1, amount: 20_000 },
  fees: { amount: 600 },
  payouts: { count: 0, amount: 0 },
  closing: 29_400,
  closed: false,
}

export const csv = [
  'Statement day,Closed,Currency,Number of payments,Number of refunds,Number of payouts,Opening,Payments,Refunds,Fees,Payouts,Closing,Opening (centimes),Payments (centimes),Refunds (centimes),Fees (centimes),Payouts (centimes),Closing (centimes)',
  `"${day}","false","MRU",1,1,0,0.00,500.00,200.00,6.00,0.00,294.00,0,50000,20000,600,0,29400`,
  '',
].join('\r\n')
