import type { EventName } from '../../schemas/events.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import type { Deps } from '../platform/deps.ts'
import { dayMs } from '../platform/time.ts'
import { paymentCodeKeyOf, readPaymentCode } from './codes.ts'
import type { Intent } from './intent.ts'
import { type Transition, transitions } from './lifecycle.ts'
import { unlisted } from './list.ts'
import { intentAsOf, intentAsOfFields } from './present.ts'
import { amountLookUpKey, payerHashesOf } from './records.ts'

type Reads = Pick<Deps, 'Intent' | 'now'>

export const maxFoundIntents = 50

/** How long staff can search by a code after it becomes reusable. */
const codeFoundMs = 3 * dayMs

const fields = {
  referenceNumber: 1,
  businessId: 1,
  sandbox: 1,
  amountType: 1,
  amount: 1,
  payment: 1,
  createdAt: 1,
  ...intentAsOfFields,
} as const

export type FoundIntent = Pick<Intent, keyof typeof fields>

async function read(deps: Reads, index: string, where: Record<string, unknown>): Promise<FoundIntent[]> {
  const now = deps.now()
  const found = await deps.Intent.find(where, { _id: 0, ...fields }, { hint: index })
    .sort({ createdAt: -1 })
    .limit(maxFoundIntents)
    .maxTimeMS(maxListReadMs)
    .lean<FoundIntent[]>()
  return found.map((intent) => intentAsOf(intent, now))
}

function newest(...lists: FoundIntent[][]): FoundIntent[] {
  const byReference = new Map(lists.flat().map((intent) => [intent.referenceNumber, intent]))
  return [...byReference.values()]
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, maxFoundIntents)
}

export const searchByShortCode = (deps: Reads, shortCode: string): Promise<FoundIntent[]> =>
  read(deps, 'shortCode', { shortCode })

export async function searchByPaymentCode(deps: Reads, code: string): Promise<FoundIntent[]> {
  const live = paymentCodeKeyOf({ businessId: '', sandbox: false }, code)
  const test = paymentCodeKeyOf({ businessId: '', sandbox: true }, code)
  const keys = { $in: [live, new RegExp(`^${test}`)] }
  const codeReusableAt = { $gte: new Date(deps.now().getTime() - codeFoundMs) }
  return newest(
    ...(await Promise.all([
      read(deps, 'codeInUse', { codeKey: keys, codeReusableAt }),
      read(deps, 'byFormerCode', { formerCodeKey: keys, codeReusableAt }),
    ])),
  )
}

/** For the business itself: `typed` is the end of a payment link, or a payment code. */
export async function searchOwnByCode(
  deps: Reads,
  { businessId, sandbox }: Pick<Intent, 'businessId' | 'sandbox'>,
  typed: string,
): Promise<Intent[]> {
  const owner = { businessId, sandbox }
  const find = (hint: string, where: object) =>
    deps.Intent.find({ ...owner, ...where }, unlisted, { hint })
      .limit(maxFoundIntents)
      .maxTimeMS(maxListReadMs)
      .lean<Intent[]>()
  const code = readPaymentCode(typed)
  const key = code === null ? null : paymentCodeKeyOf(owner, code)
  const codeReusableAt = { $gte: new Date(deps.now().getTime() - codeFoundMs) }
  const found = [
    find('shortCode', { shortCode: typed.toUpperCase() }),
    ...(key === null
      ? []
      : [
          find('codeInUse', { codeKey: key, codeReusableAt }),
          find('byFormerCode', { formerCodeKey: key, codeReusableAt }),
        ]),
  ]
  return (await Promise.all(found)).flat().filter(({ cleanedAt }) => cleanedAt === undefined)
}

/** Many businesses may share a reference, so read the index first. */
export async function searchByMerchantReference(
  deps: Reads,
  merchantReference: string,
): Promise<FoundIntent[]> {
  const index = { hint: 'byMerchantReference', maxTimeMS: maxListReadMs }
  const latest = await deps.Intent.find({ merchantReference }, { _id: 1 }, index)
    .sort({ createdAt: -1 })
    .limit(maxFoundIntents)
    .lean()
  return latest.length === 0 ? [] : read(deps, '_id_', { _id: { $in: latest.map(({ _id }) => _id) } })
}

export const searchByWalletKey = (deps: Reads, key: string): Promise<FoundIntent[]> =>
  read(deps, 'byLookUpKey', { lookUpKeys: key })

export const searchByPayer = (deps: Reads & Pick<Deps, 'secrets'>, phone: string): Promise<FoundIntent[]> =>
  read(deps, 'byLookUpKey', { lookUpKeys: { $in: payerHashesOf(deps, phone) } })

/** For an OPEN intent, `amount` is what the customer chose. */
export async function searchByAmount(
  deps: Reads,
  businessIds: readonly string[],
  amount: number,
  day: Date,
): Promise<FoundIntent[]> {
  const end = new Date(day.getTime() + dayMs)
  const onDay = { $gte: day, $lt: end }
  const createdAt = { $gte: new Date(day.getTime() - dayMs), $lt: end }
  const where = {
    createdAt,
    $or: [{ createdAt: onDay }, { 'attempts.at': onDay }, { 'hold.startedAt': onDay }],
  }
  const ofBusinesses = { businessId: { $in: businessIds }, sandbox: { $in: [true, false] } }
  const chosen = businessIds.map((id) => amountLookUpKey(id, amount))
  return newest(
    ...(await Promise.all([
      read(deps, 'byTime', { ...ofBusinesses, amountType: 'FIXED', listedAmount: amount, ...where }),
      read(deps, 'byLookUpKey', { lookUpKeys: { $in: chosen }, ...where }),
    ])),
  )
}

const hidden = {
  code: 0,
  codeKey: 0,
  formerCodeKey: 0,
  referenceKey: 0,
  lookUpKeys: 0,
  metadata: 0,
  successUrl: 0,
  cancelUrl: 0,
  marks: 0,
  requestKey: 0,
  'outbox.facts': 0,
} as const

export type RedactedIntent = Omit<Intent, keyof typeof hidden>

export const lookUpIntent = (
  deps: Pick<Deps, 'Intent'>,
  referenceNumber: string,
): Promise<RedactedIntent | null> =>
  deps.Intent.findOne({ referenceNumber }, hidden).lean<RedactedIntent | null>()

/** A name can occur more than once. */
export function deriveEventNames(intent: RedactedIntent): EventName[] {
  const { payment, attempts, refunds, cancellationReason } = intent
  const payments = attempts.filter(({ kind }) => kind === 'payment')
  const cancellation = Object.values(transitions).find(
    (transition: Transition) => transition.cancellationReason === cancellationReason,
  )
  return [
    'payment.created',
    ...payments.filter(({ outcome }) => outcome === 'declined').map(() => transitions.decline.event),
    ...payments.filter(({ outcome }) => outcome === 'failed').map(() => transitions.fail.event),
    ...(payment === null ? [] : [transitions.pay.event]),
    ...refunds.filter(({ status }) => status === 'SUCCEEDED').map(() => transitions.refund.event),
    ...(cancellation === undefined ? [] : [cancellation.event]),
  ]
}

export interface OpenPayment extends Pick<Intent, 'referenceNumber' | 'sandbox'> {
  kind: 'payment' | 'refund'
  amount: number
  startedAt: Date
}

export const maxOpenPayments = 50

const openFields = { referenceNumber: 1, sandbox: 1, hold: 1, refunds: 1 } as const
/** Counting stops here, so 10,000 means “at least 10,000”. */
export const maxUnpaidCount = 10_000

export type OpenPayments = Awaited<ReturnType<typeof findOpenPayments>>

export async function findOpenPayments(deps: Reads, businessId: string) {
  const pending = { businessId, status: 'PENDING', cancelsAt: { $gt: deps.now() } } as const
  const unpaid = (sandbox: boolean) =>
    deps.Intent.countDocuments({ ...pending, sandbox }, { limit: maxUnpaidCount })
  // These partial indexes contain only open payments and refunds.
  const openOf = (field: string, index: string) =>
    deps.Intent.find({ businessId, [field]: { $exists: true } }, openFields)
      .hint(index)
      .limit(maxOpenPayments)
      .lean<Pick<Intent, keyof typeof openFields>[]>()
  const [payments, refunds, live, sandbox] = await Promise.all([
    openOf('hold.queryAt', 'paymentToQuery'),
    openOf('refunds.queryAt', 'refundToQuery'),
    unpaid(false),
    unpaid(true),
  ])
  const open: OpenPayment[] = [
    ...payments.flatMap(({ hold, ...intent }) =>
      hold === null ? [] : openAs('payment', intent, hold.amount, hold.startedAt),
    ),
    ...refunds.flatMap((intent) =>
      intent.refunds
        .filter(({ queryAt }) => queryAt !== undefined)
        .map(({ amount, createdAt }) => openAs('refund', intent, amount, createdAt)),
    ),
  ]
  return {
    open: open.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime()),
    unpaid: { live, sandbox },
  }
}

const openAs = (
  kind: OpenPayment['kind'],
  { referenceNumber, sandbox }: Pick<OpenPayment, 'referenceNumber' | 'sandbox'>,
  amount: number,
  startedAt: Date,
): OpenPayment => ({ kind, referenceNumber, sandbox, amount, startedAt })
