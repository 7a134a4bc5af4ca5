import { type Connection, mongo as driver, type Model } from 'mongoose'
import { deliveryStatuses } from '../../../schemas/deliveries.ts'
import { intentStatuses } from '../../../schemas/intents.ts'
import { replayStatuses } from '../../../schemas/responses/webhooks.ts'
import { collectionDeclarations } from '../../../src/context/models.ts'
import { openModel } from '../../../src/mongo/collection.ts'
import { violations } from '../../invariants/check.ts'
import type { Documents } from '../../invariants/documents.ts'
import { readDatabase } from '../../invariants/read-database.ts'
import { type Tag, tagsIn } from '../cast/references.ts'

export type StoredTag = Tag & { collection: string; businessId: string | null; sandbox: boolean | null }
export type Stored = { documents: number; faults: string[]; tags: StoredTag[] }
type Document = Record<string, unknown>

const enums: Record<string, Record<string, readonly string[]>> = {
  intents: { status: intentStatuses, amountType: ['FIXED', 'OPEN'] },
  deliveries: { status: deliveryStatuses },
  webhookreplays: { status: replayStatuses },
}

const signed = 'ledgerentries'

export async function readStored(mongo: Connection, maxAmount: number): Promise<Stored> {
  const faults = intentFaults(await readDatabase(mongo.db as driver.Db))
  const stored: Stored = { documents: 0, faults, tags: [] }
  for (const collection of collectionDeclarations) {
    const model = mongo.models[collection.name] ?? openModel<Document>(mongo, collection)
    for await (const document of model.collection.find({}, { promoteLongs: true })) {
      stored.documents += 1
      for (const fault of [
        ...modelFaults(model, document),
        ...partFaults(document, ''),
        ...enumFaults(collection.name, document),
        ...(collection.name === signed ? [] : moneyFaults(document, maxAmount, '')),
        ...(collection.name === 'intents' ? amountFaults(document) : []),
      ])
        stored.faults.push(`${collection.name} ${String(document._id)}: ${fault}`)
      const businessId = typeof document.businessId === 'string' ? document.businessId : null
      const sandbox = typeof document.sandbox === 'boolean' ? document.sandbox : null
      for (const tag of tagsIn(driver.BSON.EJSON.stringify(document)))
        stored.tags.push({ ...tag, collection: collection.name, businessId, sandbox })
    }
  }
  return stored
}

function modelFaults(model: Model<Document>, document: Document): string[] {
  try {
    const [before, after] = [relaxed(document), relaxed(new model(document).toObject())]
    return Object.keys(before)
      .map((name) => [name, JSON.stringify(before[name]), JSON.stringify(after[name])] as const)
      .filter(([, stored, read]) => stored !== read)
      .map(([name, stored, read]) => `${name} is ${cut(stored)}, which its model reads as ${cut(read)}`)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

const relaxed = (document: object): Document =>
  JSON.parse(driver.BSON.EJSON.stringify(document, { relaxed: true }), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

const cut = (json: string | undefined): string | undefined => json?.slice(0, 200)

function partFaults(part: unknown, at: string): string[] {
  if (typeof part === 'number')
    return Number.isSafeInteger(part) && !Object.is(part, -0) ? [] : [`${at} is no whole number: ${part}`]
  if (typeof part === 'string') return part.isWellFormed() && !part.includes('\0') ? [] : [`${at} is no text`]
  if (typeof part !== 'object' || part === null || part instanceof Date || '_bsontype' in part) return []
  return Object.entries(part).flatMap(([name, inner]) => [
    ...(/^\$|\.|\0|^__proto__$/.test(name) ? [`${at} has a field ${name}`] : []),
    ...partFaults(inner, `${at}.${name}`),
  ])
}

const enumFaults = (collection: string, document: Document): string[] =>
  Object.entries(enums[collection] ?? {})
    .filter(([field, allowed]) => !allowed.includes(String(document[field])))
    .map(([field]) => `${field} is ${String(document[field])}`)

const money =
  /^(amount|amountPaid|price|unitPrice|total|balance|stock|refundsCommitted|quantity|fee|providerTtc|payerTtc)$/
const single = /^(amount|amountPaid|price|unitPrice)$/

function moneyFaults(part: unknown, maxAmount: number, at: string): string[] {
  if (typeof part !== 'object' || part === null || part instanceof Date) return []
  return Object.entries(part).flatMap(([name, inner]) => {
    if (!money.test(name) || typeof inner !== 'number') return moneyFaults(inner, maxAmount, `${at}.${name}`)
    return inner >= 0 && (inner <= maxAmount || !single.test(name)) ? [] : [`${at}.${name} is ${inner}`]
  })
}

const amountFaults = ({ amountType, amount, payment }: Document): string[] =>
  amountType === 'FIXED' && payment !== null && (payment as { amountPaid: number }).amountPaid !== amount
    ? ['has a payment of another amount']
    : []

const intentFaults = (documents: Partial<Documents>): string[] =>
  violations(documents)
    .filter(({ invariant }) => invariant === 'intent status' || invariant === 'refunds bounded')
    .map(({ id, what }) => `intents ${id}: ${what}`)
