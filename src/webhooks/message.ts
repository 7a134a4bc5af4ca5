import { createHmac, createSecretKey } from 'node:crypto'
import { type PaymentEventSource, paymentEventFields, paymentEventFormats } from '../intents/present.ts'
import { createBatcher } from '../mongo/batchers.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { EventFacts, RecordedFacts } from '../outbox/event.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { isId, isOrderNumber } from '../platform/ids.ts'
import { type OrderEventSource, orderEventFields, orderEventFormats } from '../store/orders/order.ts'
import { type Delivery, eventIdOf } from './deliveries/delivery.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { decryptHeaders, decryptSecrets } from './endpoints/stored-secrets.ts'

type EndpointSource = { endpointId: string }

export const endpointEventFormat = 1

/** Never change a released format; add a new number. */
const endpointFormats: Record<number, (source: EndpointSource, facts: EventFacts) => string> = {
  1: ({ endpointId }, { status, endpoint }) =>
    JSON.stringify({
      endpoint_id: endpointId,
      reference_number: endpointId,
      url: endpoint?.url,
      status,
      failing_since: endpoint?.failingSince,
      recovered_at: endpoint?.recoveredAt ?? null,
      last_error: endpoint?.lastError,
      last_response_status: endpoint?.lastStatus,
    }),
}

export type BodySource = PaymentEventSource | OrderEventSource | EndpointSource

/** Throws if the format comes from a later version of the service. */
export function composeEventData({ format, facts }: RecordedFacts, source: BodySource): string {
  if ('endpointId' in source) return known(format, endpointFormats[format])(source, facts)
  return 'items' in source
    ? known(format, orderEventFormats[format])(source, facts)
    : known(format, paymentEventFormats[format])(source, facts)
}

function known<Write>(format: number, write: Write | undefined): Write {
  if (write === undefined) throw new Error(`this version cannot write webhooks in format ${format}`)
  return write
}

type BodyHead = Pick<Delivery, '_id' | 'event' | 'eventAt' | 'sandbox'>

/** Returns the exact string that is signed and sent (SPEC 6.2). */
export function composeBody({ _id: id, event, eventAt, sandbox }: BodyHead, data: string): string {
  const head = JSON.stringify({ id, event, created_at: eventAt, sandbox })
  return `${head.slice(0, -1)},"data":${data}}`
}

export const webhookBody = (delivery: BodyHead & RecordedFacts, source: BodySource): string =>
  composeBody(delivery, composeEventData(delivery, source))

/** The HMAC key is the secret's text, not its bytes (SPEC 6.3). */
const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/** With a `KeyObject`, Node.js signs four times as fast as with a buffer. */
function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = createSecretKey(secret, 'hex')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

type Signed = Pick<Delivery, '_id' | 'event'>

const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000))

/** Uses only stored values, so old headers can be shown again (SPEC 6.2). */
export function unsignedHeaders(brand: string, { _id: id, event }: Signed, at: Date): Record<string, string> {
  const timestamp = timestampOf(at)
  return {
    'Content-Type': 'application/json',
    [`X-${brand}-Timestamp`]: timestamp,
    [`X-${brand}-Event`]: event,
    [`X-${brand}-Event-Id`]: eventIdOf(id),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
}

/** `previous` holds the secrets that were replaced in the last 24 hours. */
export function signedHeaders(
  brand: string,
  secrets: readonly [current: string, ...previous: string[]],
  delivery: Signed,
  body: string,
  at: Date,
): Record<string, string> {
  const [secret, ...previous] = secrets
  const timestamp = timestampOf(at)
  const standard = secrets.map((each) => standardSignature(each, delivery._id, timestamp, body))
  const older = previous.map((each) => signature(each, timestamp, body)).join(',')
  return {
    ...unsignedHeaders(brand, delivery, at),
    [`X-${brand}-Signature`]: signature(secret, timestamp, body),
    ...(older && { [`X-${brand}-Signature-Previous`]: older }),
    'webhook-signature': standard.join(' '),
  }
}

type StoredSecrets = Pick<Endpoint, '_id' | 'secret' | 'previousSecrets' | 'headers'>

const decryptForSending = ({ secrets }: Pick<Deps, 'secrets'>, endpoint: StoredSecrets, now: Date) => ({
  secrets: decryptSecrets(secrets, endpoint, now),
  custom: decryptHeaders(secrets, endpoint),
})

/** A batch shares an endpoint object, so its secrets are decrypted once. */
const decrypted = new WeakMap<object, ReturnType<typeof decryptForSending>>()

export function headersForEndpoint(
  deps: Pick<Deps, 'config' | 'secrets'>,
  endpoint: StoredSecrets,
  delivery: Signed,
  body: string,
  now: Date,
): Record<string, string> {
  const plain = decrypted.get(endpoint) ?? decryptForSending(deps, endpoint, now)
  decrypted.set(endpoint, plain)
  // Ours come last and win, because the brand may have changed.
  const signed = signedHeaders(deps.config.webhookHeaderBrand, plain.secrets, delivery, body, now)
  return { ...plain.custom, ...signed }
}

type Sources = Pick<Models, 'Intent' | 'Order'>

/** An order with 100 items takes 160 KB, so a read returns 8 MB at most. */
const maxPerRead = 50

/** Returns null if the intent or order is gone. */
export const createBodySourceBatcher = (models: Sources) =>
  createBatcher<string, BodySource | null>(maxPerRead, async (references) => {
    const found = await findWebhookSources(models, references)
    return references.map((reference) => found.get(reference) ?? null)
  })

export const findBodySource = async (models: Sources, reference: string): Promise<BodySource | null> =>
  (await findWebhookSources(models, [reference])).get(reference) ?? null

export async function findWebhookSources(models: Sources, references: readonly string[]) {
  const found = new Map<string, BodySource>()
  const unique = [...new Set(references)]
  for (let start = 0; start < unique.length; start += maxPerRead)
    await addSources(found, models, unique.slice(start, start + maxPerRead))
  return found
}

async function addSources(found: Map<string, BodySource>, { Intent, Order }: Sources, references: string[]) {
  const kindOf = (reference: string) => {
    if (isOrderNumber(reference)) return 'numbers'
    return isId(reference) ? 'endpointIds' : 'payments'
  }
  const { payments, numbers, endpointIds = [] } = Object.groupBy(references, kindOf)
  const projection = { _id: 0, ...paymentEventFields }
  const [intents = [], orders = []] = await Promise.all([
    payments &&
      rawCollection(Intent)
        .find<PaymentEventSource>({ referenceNumber: { $in: payments } }, { projection })
        .toArray(),
    numbers &&
      rawCollection(Order)
        .find<OrderEventSource>({ number: { $in: numbers } }, { projection: orderEventFields })
        .toArray(),
  ])
  for (const intent of intents) found.set(intent.referenceNumber, intent)
  for (const order of orders) found.set(order.number, order)
  for (const endpointId of endpointIds) found.set(endpointId, { endpointId })
}
