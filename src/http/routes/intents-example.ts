import { currencyCode } from '../../../schemas/currency.ts'
import { createdIntent } from '../../../schemas/responses/intent.ts'

export const referenceNumber = 'PI-KP7C69GYSJ3ZNMWQ'
const createdAt = '2026-11-21T07:33:59.612Z'
const expiresAt = '2026-11-22T07:33:59.612Z'

export const request = {
  amount: 50_000,
  label: 'Order 1042',
  metadata: { order: '1042' },
}

/** Every field is null unless the example below sets it. */
const createdFields = Object.keys(createdIntent.properties).map((name) => [name, null])

export const created = {
  ...Object.fromEntries(createdFields),
  referenceNumber,
  shortCode: 'UUEPNU',
  code: '005312',
  codeExpiresAt: expiresAt,
  codeUrl: 'https://pay.example/sandbox/6b0149aca90c38bde3c47f5d',
  payUrl: 'https://pay.example/p/UUEPNU',
  amount: 50_000,
  amountType: 'FIXED',
  currency: currencyCode,
  label: 'Order 1042',
  status: 'PENDING',
  sandbox: true,
  metadata: { order: '1042' },
  expiresAt,
  createdAt,
}

export const pending = {
  ...created,
  type: 'API',
  payment: null,
  refunds: [],
  totalAmountRefunded: 0,
  updatedAt: createdAt,
}

const withoutCode = { ...pending, code: null, codeExpiresAt: null, codeUrl: null }

export const cancelled = {
  ...withoutCode,
  status: 'CANCELLED',
  updatedAt: '2026-11-21T07:41:20.118Z',
  cancellationReason: 'requested_by_merchant',
}

export const simulation = { payerPhone: '22000045', outcome: 'success' }

export const paid = {
  ...withoutCode,
  status: 'PAID',
  payment: {
    amountPaid: 50_000,
    paidAt: '2026-11-21T07:40:02.331Z',
    method: 'WALLET',
    commission: { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 },
  },
  updatedAt: '2026-11-21T07:40:02.331Z',
}

export const refundRequest = { amount: 20_000, reason: 'One item came back' }

export const refundId = 'RF-9QX4MZ2KHT7WDBRC'

const refund = {
  id: refundId,
  amount: 20_000,
  returnedFees: { providerTtc: 400, payerTtc: 200 },
  currency: currencyCode,
  reason: 'One item came back',
  status: 'SUCCEEDED',
  createdAt: '2026-11-21T09:12:44.907Z',
  refundedAt: '2026-11-21T09:12:44.951Z',
}

export const refunded = {
  ...paid,
  status: 'REFUNDED',
  refunds: [refund],
  totalAmountRefunded: 20_000,
  updatedAt: '2026-11-21T09:12:44.951Z',
  refund,
}
