import { type Connection, mongo as driver, type Model } from 'mongoose'
import { deliveryStatuses } from '../../../schemas/list-deliveries.ts'
import { statuses } from '../../../schemas/list-intents.ts'
import { openCollection } from '../../../src/mongo/collection.ts'
import { collections } from '../../../src/mongo/models.ts'
import { type Mark, marksIn } from '../cast/references.ts'

/** A mark in the database, with the business and environment of its document, if it has them. */
export interface StoredMark extends Mark {
  collection: string
  businessId: string | null
  sandbox: boolean | null
}

export interface Stored {
  documents: number
  faults: string[]
  marks: StoredMark[]
}

type Document = Record<string, unknown>

const enums: Record<string, readonly string[]> = {
  'intents.status': statuses,
  'intents.amountType': ['FIXED', 'OPEN'],
  'deliveries.status': deliveryStatuses,
}

/** Reads every document without its model, and checks it against the model and the rules for money. `maxAmount` is the largest single amount. */
export async function readStored(mongo: Connection, maxAmount: number): Promise<Stored> {
  const stored: Stored = { documents: 0, faults: [], marks: [] }
  for (const collection of collections) {
    const model = mongo.models[collection.name] ?? openCollection<Document>(mongo, collection)
    for await (const document of model.collection.find({}, { promoteLongs: true })) {
      stored.documents += 1
      const say = (fault: string): void =>
        void stored.faults.push(`${collection.name} ${String(document._id)}: ${fault}`)
      for (const fault of [
        modelFault(model, document),
        ...partFaults(document, ''),
        ...meaningFaults(collection.name, document, maxAmount),
      ])
        if (fault !== null) say(fault)
      const businessId = typeof document.businessId === 'string' ? document.businessId : null
      const sandbox = typeof document.sandbox === 'boolean' ? document.sandbox : null
      for (const mark of marksIn(driver.BSON.EJSON.stringify(document)))
        stored.marks.push({ ...mark, collection: collection.name, businessId, sandbox })
    }
  }
  return stored
}

/** The model must accept the document unchanged: no unknown field, no cast. */
function modelFault(model: Model<Document>, document: Document): string | null {
  try {
    const taken = new model(document)
    const [before, after] = [document, taken.toObject() as Document].map((each) =>
      driver.BSON.EJSON.stringify(each, { relaxed: true }),
    )
    return fieldsDiffer(JSON.parse(before ?? ''), JSON.parse(after ?? ''))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Compares the fields of the document. A model may add defaults. */
function fieldsDiffer(before: Document, after: Document): string | null {
  const other = Object.keys(before).find(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return other === undefined
    ? null
    : `${other} is ${JSON.stringify(before[other]).slice(0, 200)}, which its model reads as ${JSON.stringify(after[other])?.slice(0, 200)}`
}

/** Numbers must be exact, texts Unicode without NUL, and names no operators. */
function partFaults(part: unknown, at: string): string[] {
  if (typeof part === 'number')
    return Number.isSafeInteger(part) && !Object.is(part, -0)
      ? []
      : [`${at} is ${Object.is(part, -0) ? '-0' : part}`]
  if (typeof part === 'string') return part.isWellFormed() && !part.includes('\0') ? [] : [`${at} is no text`]
  if (typeof part !== 'object' || part === null || part instanceof Date || '_bsontype' in part) return []
  return Object.entries(part).flatMap(([name, inner]) => [
    ...(/^\$|\.|\0|^__proto__$/.test(name) ? [`${at} has a field ${name}`] : []),
    ...partFaults(inner, `${at}.${name}`),
  ])
}

/** Rules beyond the schemas. */
function meaningFaults(collection: string, document: Document, maxAmount: number): string[] {
  const faults = Object.entries(enums)
    .filter(([place]) => place.startsWith(`${collection}.`))
    .map(
      ([place, allowed]) => [place, allowed.includes(String(document[place.split('.')[1] ?? '']))] as const,
    )
    .filter(([, isAllowed]) => !isAllowed)
    .map(([place]) => `${place} is out of its range`)
  return [
    ...faults,
    ...moneyFaults(document, maxAmount, ''),
    ...(collection === 'intents' ? intentFaults(document) : []),
  ]
}

const money = /^(amount|amountPaid|price|unitPrice|total|balance|stock|refundsCommitted|quantity)$/
/** Single amounts. The others are sums. */
const single = /^(amount|amountPaid|price|unitPrice)$/

/** Money and stock must not be negative, and no amount above the largest. */
function moneyFaults(part: unknown, maxAmount: number, at: string): string[] {
  if (typeof part !== 'object' || part === null || part instanceof Date) return []
  return Object.entries(part).flatMap(([name, inner]) => {
    if (!money.test(name) || typeof inner !== 'number') return moneyFaults(inner, maxAmount, `${at}.${name}`)
    const isRight = inner >= 0 && (inner <= maxAmount || !single.test(name))
    return isRight ? [] : [`${at}.${name} is ${inner}`]
  })
}

/** A paid intent has a payment, and refunds do not exceed it. */
function intentFaults(document: Document): string[] {
  const { status, payment, refundsCommitted, refunds, amount, amountType } = document as {
    status: string
    payment: { amountPaid: number } | null
    refundsCommitted: number
    refunds: { amount: number; status: string }[]
    amount: number | null
    amountType: string
  }
  const isPaid = status === 'PAID' || status === 'REFUNDED'
  const given = refunds
    .filter((refund) => refund.status !== 'FAILED')
    .reduce((sum, refund) => sum + refund.amount, 0)
  return [
    ...(isPaid === (payment !== null) ? [] : [`is ${status} with the payment ${JSON.stringify(payment)}`]),
    ...(refundsCommitted <= (payment?.amountPaid ?? 0) ? [] : ['gave back more than was paid']),
    ...(given === refundsCommitted ? [] : [`committed ${refundsCommitted} of refunds, which are ${given}`]),
    ...(amountType === 'FIXED' && payment !== null && payment.amountPaid !== amount
      ? ['was not paid as it said']
      : []),
  ]
}
