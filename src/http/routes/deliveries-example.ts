import { currencyCode } from '../../../schemas/currency.ts'
import { maxAttempts } from '../../../schemas/retry-table.ts'
import { endpointId } from './endpoints-example.ts'
import { referenceNumber } from './intents-example.ts'

export const deliveryId = 'awFJrKkMOL3jxH9iawFJrKkMOL3jxH9e'

/** A delivery whose first attempt failed. */
export const delivery = {
  id: deliveryId,
  endpointId,
  url: 'https://shop.example/hooks/v2',
  event: 'payment.created',
  referenceNumber,
  status: 'RETRYING',
  attempts: 1,
  maxAttempts,
  nextAttemptAt: '2026-11-21T07:34:31.204Z',
  lastAttemptAt: '2026-11-21T07:34:00.993Z',
  lastResponseStatus: 500,
  lastError: 'status',
  lastDurationMs: 211,
  sandbox: true,
  createdAt: '2026-11-21T07:34:00.402Z',
  deliveredAt: null,
}

export const withAttempts = {
  ...delivery,
  payload: {
    id: deliveryId,
    event: 'payment.created',
    created_at: '2026-11-21T07:33:59.612Z',
    sandbox: true,
    data: {
      reference_number: referenceNumber,
      short_code: 'UUEPNU',
      amount: 50_000,
      currency: currencyCode,
      status: 'PENDING',
      paid_at: null,
      payer_phone: null,
      metadata: { order: '1042' },
      commission: { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 },
    },
  },
  attemptLog: [
    {
      at: '2026-11-21T07:34:00.993Z',
      url: 'https://shop.example/hooks/v2',
      durationMs: 211,
      responseStatus: 500,
      error: 'status',
      message: null,
      responseBody: 'Internal Server Error',
    },
  ],
}

export const retried = { ...delivery, maxAttempts: maxAttempts + 1, retried: true, reason: null }
