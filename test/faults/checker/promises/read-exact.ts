import { isDeepStrictEqual } from 'node:util'
import type { Call, What } from '../../evidence/evidence.ts'
import type { DeliveryDocument, Dump, IntentDocument, OrderDocument, ProductDocument } from '../documents.ts'
import type { Broken, Judge } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { sumOf } from '../views/groups.ts'

type Fields = Record<string, unknown>

/** How things of one kind are read: the field by which an answer names one, and what it must say of each that MongoDB has. */
interface Kind {
  list: What
  one: What | null
  name: string
  expected: (dump: Dump) => Map<string, { listed: Fields; whole: Fields }>
}

/**
 * What is read is what is there: each thing that the auditor was shown when all was quiet, in a list or by itself, says of each field what the document of the
 * dump says. What a list lacks, or has too many of, is told by `list.exact`.
 */
export const readExact: Judge = function* ({ calls, dump, setting }) {
  // What is still moving may be otherwise a moment later.
  if (setting.quietAt === null) return
  const read = calls.filter(({ actor, status }) => actor === 'auditor' && status === 200)
  for (const kind of kinds) {
    const expected = kind.expected(dump)
    for (const call of read) {
      if (call.what === kind.one)
        yield* differences(call, dataOf<Fields>(call), expected.get(nameIn(call))?.whole)
      if (call.what !== kind.list) continue
      for (const item of dataOf<{ items: Fields[] }>(call)?.items ?? [])
        yield* differences(call, item, expected.get(String(item[kind.name]))?.listed)
    }
  }
}

/** What is asked for by itself is named last in the path: an answer of another thing is told too. */
const nameIn = ({ path }: Call): string => decodeURIComponent(path.split('/').at(-1) ?? '')

function* differences(
  { call, path }: Call,
  shown: Fields | null,
  expected: Fields | undefined,
): Generator<Broken> {
  if (shown === null || expected === undefined) return
  for (const [field, value] of Object.entries(expected)) {
    const wanted = asJson(value)
    if (!isDeepStrictEqual(shown[field], wanted))
      yield {
        of: `call ${call} ${path}`,
        says: `shows ${field} ${JSON.stringify(shown[field])} of ${String(Object.values(shown)[0])}, and it is ${JSON.stringify(wanted)}`,
      }
  }
}

const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))

/** Fields that an answer has as the document has them; instants in words. */
const same = (document: object, fields: readonly string[]): Fields =>
  Object.fromEntries(fields.map((field) => [field, shownAs(field, (document as Fields)[field])]))

const shownAs = (field: string, value: unknown): unknown =>
  (field === 'at' || field.endsWith('At')) && typeof value === 'number'
    ? new Date(value).toISOString()
    : value

function intentAs(intent: IntentDocument): Fields {
  const { status, amountType, amount, metadata, payment, refunds, failure } = intent
  const own = ['referenceNumber', 'shortCode', 'amountType', 'label', 'status', 'sandbox']
  return {
    ...same(intent, [...own, 'expiresAt', 'createdAt', 'updatedAt']),
    amount: amountType === 'OPEN' ? null : amount,
    currency: 'MRU',
    metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])),
    // The code goes with the intent's end.
    ...(status === 'PENDING' ? {} : { code: null }),
    payment: payment && same(payment, ['amountPaid', 'paidAt', 'method']),
    refunds: refunds.map((refund) => ({
      ...same(refund, ['id', 'amount', 'reason', 'status', 'createdAt']),
      currency: 'MRU',
    })),
    totalAmountRefunded: sumOf(refunds, (refund) => (refund.status === 'SUCCEEDED' ? refund.amount : 0)),
    cancellationReason: intent.cancellationReason ?? undefined,
    failure: failure
      ? { code: failure.code, retryable: failure.retryable && status === 'PENDING' }
      : undefined,
  }
}

/** So many attempts a delivery has, and one more each time somebody asks for one (SPEC 6.4, docs/webhooks.md). */
const mostAttempts = 8

function deliveryAs(delivery: DeliveryDocument): Fields {
  const last = delivery.attemptLog.at(-1)
  const own = ['endpointId', 'event', 'referenceNumber', 'status', 'attempts', 'sandbox']
  return {
    ...same(delivery, [...own, 'nextAttemptAt', 'createdAt', 'deliveredAt']),
    id: delivery._id,
    // Where it went last, or will go.
    url: last?.url ?? delivery.url,
    maxAttempts: mostAttempts + delivery.redrives,
    lastAttemptAt: last === undefined ? null : shownAs('at', last.at),
    lastResponseStatus: last?.status ?? null,
    lastError: last?.stage ?? null,
    lastDurationMs: last?.durationMs ?? null,
  }
}

const deliveryWhole = (delivery: DeliveryDocument): Fields => ({
  ...deliveryAs(delivery),
  payload: JSON.parse(delivery.body),
  attemptLog: delivery.attemptLog.map((attempt) => ({
    ...same(attempt, ['at', 'url', 'durationMs']),
    responseStatus: attempt.status,
    error: attempt.stage,
    message: (attempt as Fields).error,
    responseBody: (attempt as Fields).answer ?? null,
  })),
})

const lineFields = ['productId', 'variantId', 'name', 'variantLabel', 'sku', 'unitPrice', 'quantity', 'total']

const orderAs = (order: OrderDocument): Fields => ({
  ...same(order, ['_id', 'number', 'status', 'total', 'customer', 'sandbox', 'createdAt']),
  currency: 'MRU',
  items: order.items.map((item) => same(item, lineFields)),
})

const variantFields = ['_id', 'label', 'sku', 'price', 'stock']
const productFields = ['_id', 'handle', 'name', 'description', 'images', 'active', 'sandbox']

const productAs = (product: ProductDocument): Fields => ({
  ...same(product, [...productFields, 'createdAt', 'updatedAt']),
  variants: product.variants.map((variant) => same(variant, variantFields)),
})

/** By their names; a list shows them as they are read by themselves, or with less. */
const byName = <Thing>(
  things: readonly Thing[],
  nameOf: (thing: Thing) => string,
  listed: (thing: Thing) => Fields,
  whole: (thing: Thing) => Fields,
) => new Map(things.map((thing) => [nameOf(thing), { listed: listed(thing), whole: whole(thing) }]))

const idOf = ({ _id }: { _id: string }): string => _id
const endpointFields = ['url', 'events', 'active', 'createdAt']

const kinds: readonly Kind[] = [
  {
    list: 'list',
    one: 'read',
    name: 'referenceNumber',
    expected: ({ intents }) => byName(intents, ({ referenceNumber }) => referenceNumber, intentAs, intentAs),
  },
  {
    list: 'delivery.list',
    one: 'delivery.read',
    name: 'id',
    expected: ({ deliveries }) => byName(deliveries, idOf, deliveryAs, deliveryWhole),
  },
  {
    list: 'order.list',
    one: 'order.read',
    name: '_id',
    expected: ({ orders }) =>
      byName(
        orders.filter(({ status }) => status === 'PLACED'),
        idOf,
        orderAs,
        orderAs,
      ),
  },
  {
    list: 'product.list',
    one: 'product.read',
    name: '_id',
    expected: ({ products }) => byName(products, idOf, productAs, productAs),
  },
  {
    list: 'endpoint.list',
    one: null,
    name: 'id',
    expected: ({ webhookendpoints }) => {
      const shown = (endpoint: object) => same(endpoint, endpointFields)
      return byName(webhookendpoints, idOf, shown, shown)
    },
  },
]
