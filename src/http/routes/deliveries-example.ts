import { maxAttempts } from '../../../schemas/retry-table.ts'
import { paymentFormat, samplePayment } from '../../intents/event-data.ts'
import { unsignedHeaders } from '../../webhooks/attempts/sign.ts'
import { composeData } from '../../webhooks/body.ts'
import { endpointId } from './endpoints-example.ts'
import { referenceNumber } from './intents-example.ts'

export const deliveryId = 'awFJrKkMOL3jxH9iawFJrKkMOL3jxH9e'

/** An example of a delivery whose first attempt failed. */
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

/** `composeData` also builds the data of real events, so a new field in the webhook body requires no change here. */
const data = composeData(
  { format: paymentFormat, facts: { status: 'PENDING', amount: 50_000 } },
  {
    ...samplePayment,
    referenceNumber,
    shortCode: 'UUEPNU',
    merchantReference: null,
    metadata: [{ key: 'order', value: '1042' }],
  },
)

export const withAttempts = {
  ...delivery,
  lastAttemptHeaders: unsignedHeaders(
    'Service',
    { _id: deliveryId, event: 'payment.created' },
    new Date('2026-11-21T07:34:00.993Z'),
  ),
  payload: {
    id: deliveryId,
    event: 'payment.created',
    created_at: '2026-11-21T07:33:59.612Z',
    sandbox: true,
    data: JSON.parse(data) as object,
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

export const retriedMatching = {
  requeued: 1,
  skipped: { delivered: 0, under_way: 0, endpoint_gone: 0 },
  hasMore: false,
  next: null,
}
