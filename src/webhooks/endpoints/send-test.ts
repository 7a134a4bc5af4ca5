import { hash } from 'node:crypto'
import { testEndpointBody } from '../../../schemas/endpoints.ts'
import type { EventName } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { OperationResult, ThirdPartyStep, WriteRequest } from '../../idempotency/request.ts'
import { paymentEventFormat, samplePayment } from '../../intents/present.ts'
import type { EventFacts, RecordedFacts } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { utcDayNumber } from '../../platform/time.ts'
import { orderEventFormat } from '../../store/orders/order.ts'
import { makeDeliveryId } from '../deliveries/delivery.ts'
import {
  type BodySource,
  composeBody,
  composeEventData,
  endpointEventFormat,
  headersForEndpoint,
} from '../message.ts'
import type { Endpoint } from './endpoint.ts'
import { checkEventScopes, findEndpoint } from './find.ts'

export function parseTestEvent(deps: Pick<Deps, 'validate'>, caller: Caller, body: unknown) {
  const { event = null } = deps.validate(testEndpointBody, body)
  if (event !== null) checkEventScopes(caller, [event as EventName], 'event')
  return event as EventName | null
}

type TestDeps = Pick<Deps, 'Endpoint' | 'sender' | 'capacity' | 'config' | 'secrets' | 'now' | 'log'>

/** Sends one signed request with sample data, and never repeats it. */
export async function testEndpoint(
  deps: TestDeps,
  caller: Caller,
  id: string,
  requested: EventName | null,
  request: WriteRequest,
): Promise<OperationResult> {
  const endpoint = await findEndpoint(deps, caller, id)
  const [first] = endpoint.events as [EventName]
  const event = requested ?? first
  checkEventScopes(caller, [event], 'event')
  const send: ThirdPartyStep = () => {
    const [owners, cost] = [[caller.businessId], { tests: 1 }]
    const held = deps.capacity.takeNow(owners, cost)
    if (held === null) throw deps.capacity.refusal(owners, cost)
    return sendSample(deps, endpoint, event, request).finally(held.free)
  }
  return { kind: 'none', data: send }
}

/** Two concurrent requests with the same key send the same event id. */
const eventIdOfTest = (key: string, now: Date): string =>
  hash('sha256', JSON.stringify([key, utcDayNumber(now)]), 'hex').slice(0, 24)

async function sendSample(
  deps: TestDeps,
  endpoint: Endpoint,
  event: EventName,
  { key, cause: { requestId } }: WriteRequest,
): Promise<Record<string, unknown>> {
  const now = deps.now()
  const id = makeDeliveryId(eventIdOfTest(key, now), endpoint._id)
  // Never a live event: no merchant should ship goods because of a test.
  const body = composeBody({ _id: id, event, eventAt: now, sandbox: true }, sampleEventData(event, now))
  const headers = headersForEndpoint(deps, endpoint, { _id: id, event }, body, now)
  const { _id: endpointId, businessId, url } = endpoint
  const { status, stage, durationMs } = await deps.sender.send({ owner: businessId, url, headers, body })
  const about = { deliveryId: id, endpointId, businessId, webhookEvent: event, requestId }
  deps.log.info({ ...about, status, stage, durationMs }, 'webhook.tested')
  return {
    deliveryId: id,
    event,
    delivered: stage === null,
    responseStatus: status,
    durationMs,
    error: stage,
  }
}

const noId = '0'.repeat(24)

/** In centimes. */
const amount = 50_000

const paidAt = (now: Date) => ({
  amount,
  paidAt: now,
  payerPhone: '22 ** ** 00',
  // Calculated at the default rates.
  commission: { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 },
})

const order = (createdAt: Date) => ({
  _id: noId,
  number: 'OR-TEST000000000000',
  items: [
    {
      productId: noId,
      variantId: noId,
      name: 'Test',
      variantLabel: 'Test',
      sku: null,
      unitPrice: amount,
      quantity: 1,
      total: amount,
    },
  ],
  total: amount,
  customer: { name: 'Test', phone: null, email: null },
  createdAt,
})

type Sample = RecordedFacts & { source: BodySource }

const ofPayment =
  (factsAt: (now: Date) => EventFacts) =>
  (now: Date): Sample => ({ source: samplePayment, format: paymentEventFormat, facts: factsAt(now) })

const samples: Record<EventName, (now: Date) => Sample> = {
  'payment.created': ofPayment(() => ({ status: 'PENDING', amount })),
  'payment.confirmed': ofPayment((now) => ({ status: 'PAID', ...paidAt(now) })),
  'payment.cancelled': ofPayment(() => ({ status: 'CANCELLED', amount })),
  'payment.expired': ofPayment(() => ({ status: 'CANCELLED', amount })),
  'payment.refunded': ofPayment((now) => ({
    status: 'REFUNDED',
    ...paidAt(now),
    refund: {
      id: 'RF-TEST000000000000',
      amount,
      // A full refund returns both fees.
      returnedFees: { providerTtc: 1000, payerTtc: 500 },
      reason: 'Test',
    },
  })),
  'payment.failed': ofPayment(() => ({
    status: 'FAILED',
    amount,
    failure: { code: 'technical_error', retryable: false },
  })),
  'order.new': (now) => ({ source: order(now), format: orderEventFormat, facts: { status: 'PLACED' } }),
  'endpoint.failing': (now) => ({
    source: { endpointId: noId },
    format: endpointEventFormat,
    facts: {
      status: 'FAILING',
      endpoint: { url: 'https://test.example/', failingSince: now, lastError: 'status', lastStatus: 500 },
    },
  }),
}

/** Returns sample values in the same format as real data (SPEC 6.2). */
export function sampleEventData(event: EventName, now: Date): string {
  const sample = samples[event](now)
  return composeEventData(sample, sample.source)
}
