import type { mongo } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import { rawCollection } from '../mongo/collection.ts'
import { readTimeoutMs as maxTimeMS } from '../mongo/connect.ts'
import type { Models } from '../platform/deps.ts'
import type { Pacer } from '../work/pace.ts'
import type { PaymentOrRefund } from './provider-file.ts'

export interface MoneyRecord {
  key: string
  kind: PaymentOrRefund
  amount: number
  /** What the payer paid or got back in addition to `amount`. */
  fee: number
  at: Date
  reference: string
  businessId: string
}

/** `recorded` is null if no money moved through this wallet. */
export type FoundWalletKey = { reference: string; businessId: string; recorded: MoneyRecord | null }

const intentFields = {
  _id: 0,
  businessId: 1,
  referenceNumber: 1,
  'payment.amountPaid': 1,
  'payment.paidAt': 1,
  'payment.key': 1,
  'payment.wallet': 1,
  'payment.commission.payerTtc': 1,
  refunds: 1,
} as const

type RecordedIntent = Pick<Intent, 'businessId' | 'referenceNumber' | 'refunds' | 'lookUpKeys'> & {
  payment?: Intent['payment']
}

function recordedPayment(intent: RecordedIntent): MoneyRecord[] {
  const { businessId, referenceNumber: reference, payment } = intent
  if (!payment) return []
  const { key, amountPaid: amount, commission, paidAt: at } = payment
  return [{ key, kind: 'payment', amount, fee: commission.payerTtc, at, reference, businessId }]
}

function recordedRefunds(intent: RecordedIntent): MoneyRecord[] {
  const { businessId, referenceNumber: reference, refunds } = intent
  return refunds.flatMap(({ id: key, amount, returnedFees, refundedAt: at }) => {
    const fee = returnedFees.payerTtc
    return at === undefined ? [] : [{ key, kind: 'refund' as const, amount, fee, at, reference, businessId }]
  })
}

const maxBusinesses = 500
/** Limited, because each intent can have 1,000 refunds. */
export const maxPeriodDocuments = 100

/** `to` is exclusive. */
type RecordedPeriod = { from: Date; to: Date }

type Span = { $gte: Date; $lt: Date }
type Deps = Pick<Models, 'Business' | 'Intent'> & { pace: Pacer }
type Yields<Item> = AsyncGenerator<Item, void, undefined>

const intentFilters = {
  byPaidAt: (span: Span) => ({ 'payment.paidAt': span }),
  byRefundedAt: (span: Span) => ({
    'refunds.refundedAt': { $exists: true },
    refunds: { $elemMatch: { refundedAt: span } },
  }),
}

export async function* readMoneyRecords(
  deps: Deps,
  period: RecordedPeriod,
  wallet: string | null,
): Yields<MoneyRecord[]> {
  const intents = { ...deps, projection: intentFields }
  const ofWallet = wallet ?? { $gte: 'live:', $lt: 'live;' }
  for await (const businessId of eachBusinessId(deps)) {
    const live = { businessId, sandbox: false, 'payment.wallet': ofWallet }
    for await (const { found } of readIntentsInPeriod<RecordedIntent>(intents, 'byPaidAt', live, period))
      yield found.flatMap(recordedPayment)
    const refunded = readIntentsInPeriod<RecordedIntent>(intents, 'byRefundedAt', live, period)
    for await (const { found, from, to } of refunded)
      yield found.flatMap(recordedRefunds).filter(({ at }) => at >= from && at < to)
  }
}

export const readIntentsInPeriod = <Doc extends object>(
  { Intent, pace, projection }: Pick<Deps, 'Intent' | 'pace'> & { projection: Record<string, 0 | 1> },
  hint: keyof typeof intentFilters,
  where: mongo.Filter<Intent>,
  period: RecordedPeriod,
) =>
  readInParts(pace, period, (span, limit) =>
    rawCollection(Intent)
      .find<Doc>({ ...where, ...intentFilters[hint](span) }, { hint, limit, projection, maxTimeMS })
      .toArray(),
  )

/** Halves a period with many documents, so that no query needs `skip`. */
export async function* readInParts<Doc>(
  pace: Pacer,
  { from, to }: RecordedPeriod,
  read: (span: Span, limit: number) => Promise<Doc[]>,
): Yields<RecordedPeriod & { found: Doc[] }> {
  const isDivisible = to.getTime() - from.getTime() > 1
  const found = await pace(() => read({ $gte: from, $lt: to }, isDivisible ? maxPeriodDocuments + 1 : 0))
  if (!isDivisible || found.length <= maxPeriodDocuments) return yield { found, from, to }
  const middle = new Date(Math.floor((from.getTime() + to.getTime()) / 2))
  yield* readInParts(pace, { from, to: middle }, read)
  yield* readInParts(pace, { from: middle, to }, read)
}

export async function* eachBusinessId(deps: Deps): Yields<string> {
  for await (const page of eachPageOfBusinesses(deps)) yield* page
}

export async function* eachPageOfBusinesses({ Business, pace }: Deps): Yields<string[]> {
  const sorted = { projection: { _id: 1 }, sort: { _id: 1 } } as const
  const read = (after: string) =>
    rawCollection(Business)
      .find({ _id: { $gt: after } }, { ...sorted, limit: maxBusinesses, maxTimeMS })
      .map(({ _id }) => _id)
      .toArray()
  for (let page = await pace(() => read('')); ; ) {
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < maxBusinesses) return
    page = await pace(() => read(last))
  }
}

export async function findWalletKeys(
  { Intent: model }: Pick<Models, 'Intent'>,
  keys: readonly string[],
  wallet: string | null,
): Promise<Map<string, FoundWalletKey>> {
  const filter = { lookUpKeys: { $in: keys }, sandbox: false }
  const options = { hint: 'byLookUpKey', projection: { ...intentFields, lookUpKeys: 1 }, maxTimeMS }
  const intents = await rawCollection(model).find<RecordedIntent>(filter, options).toArray()
  const wanted = new Set(keys)
  const found = new Map<string, FoundWalletKey>()
  for (const intent of intents) {
    const { businessId, referenceNumber: reference, lookUpKeys = [] } = intent
    const isOfWallet = wallet === null || intent.payment?.wallet === wallet
    const recorded = isOfWallet ? [...recordedPayment(intent), ...recordedRefunds(intent)] : []
    for (const key of lookUpKeys.filter((each) => wanted.has(each)))
      found.set(key, { reference, businessId, recorded: recorded.find((each) => each.key === key) ?? null })
  }
  return found
}
