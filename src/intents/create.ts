import { setTimeout as pause } from 'node:timers/promises'
import { createLiveIntentBody, createTestIntentBody } from '../../schemas/intents.ts'
import type { ActingPerson, Caller } from '../businesses/caller.ts'
import { type ReserveStorage, withStorageQuota } from '../businesses/quotas.ts'
import {
  createRequestMark,
  effectResult,
  freshKeysSince,
  type OperationResult,
  type WriteRequest,
} from '../idempotency/request.ts'
import { measureBson } from '../mongo/collection.ts'
import { newEvent, wakeRelay } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse, refuseIfLate } from '../platform/errors.ts'
import { newId, newPaymentCode, newReferenceNumber } from '../platform/ids.ts'
import { modeOf } from '../platform/mode.ts'
import { codeReusableFrom, freeReusableCode, noFreeCodeRefusal, paymentCodeKeyOf } from './codes.ts'
import { expireIntent } from './expire.ts'
import { createKeyIndexName, type Intent, type IntentInput, referenceIndexName } from './intent.ts'
import { isPending, isRefundable } from './lifecycle.ts'
import { liveCodeLimitOf } from './live-codes.ts'
import {
  buildCreateResponse,
  findCreateResult,
  intentAsOf,
  intentAsOfFields,
  responseFormat,
} from './present.ts'
import { countTransition, paymentFacts } from './transition.ts'

export function parseNewIntent(deps: Pick<Deps, 'validate'>, sandbox: boolean, body: unknown): IntentInput {
  const valid = deps.validate(sandbox ? createTestIntentBody : createLiveIntentBody, body)
  const { amountType = 'FIXED', amount = null, label = null, merchantReference = null } = valid
  const { metadata = {}, success_url: successUrl = null, cancel_url: cancelUrl = null } = valid
  const pairs = Object.entries(metadata).map(([key, value]) => ({ key, value }))
  return { amountType, amount, label, merchantReference, metadata: pairs, successUrl, cancelUrl }
}

/** If a third of all codes are free, 16 draws find one in 99.8 % of cases. */
const maxDraws = 16
const lookAgainMs = 20

type InsertDeps = Pick<
  Deps,
  'Intent' | 'batchers' | 'config' | 'enqueue' | 'fullSandboxes' | 'metrics' | 'now' | 'shortCodes'
>

/** SPEC 4.1. Inserts the intent and its event in one write. */
export function createIntent(
  deps: InsertDeps & Pick<Deps, 'counters' | 'liveCodes'>,
  caller: Caller,
  input: IntentInput,
  request: WriteRequest,
): Promise<OperationResult> {
  return withStorageQuota(deps, caller, (reserve) => {
    const insert = () => insertIntent(deps, caller, input, request, reserve)
    return caller.sandbox ? insert() : deps.liveCodes.within(caller, liveCodeLimitOf(deps, caller), insert)
  })
}

async function insertIntent(
  deps: InsertDeps,
  caller: Caller,
  input: IntentInput,
  request: WriteRequest,
  reserve: ReserveStorage,
): Promise<OperationResult> {
  const { businessId, sandbox } = caller
  const { deadlineAt } = request
  if (sandbox && deps.fullSandboxes.has(businessId)) throw noFreeCodeRefusal('payment')
  const shortCode = await deps.shortCodes.take(deadlineAt)
  const { intent, mark } = draft(deps, caller, input, request, shortCode)
  await reserve({ creates: 1, bytes: measureBson(intent) }).catch((error: unknown) => {
    deps.shortCodes.giveBack(shortCode)
    throw error
  })
  for (let draws = 0; draws < maxDraws; ) {
    refuseIfLate(deadlineAt)
    const insertion = await deps.batchers.insertIntent(intent, deadlineAt)
    if (insertion.inserted) {
      countTransition(deps, 'create', intent)
      wakeRelay(deps, intent)
      return effectResult(mark, buildCreateResponse(intent), false)
    }
    // MongoDB names only one violated index, so always check for a repeat.
    const earlier = await findCreateResult(deps, request)
    const { index } = insertion
    if (earlier !== null) {
      if (index !== 'shortCode') deps.shortCodes.giveBack(intent.shortCode)
      return earlier
    }
    if (index === createKeyIndexName) {
      if (!(await freeRequestKey(deps, request))) await pause(lookAgainMs)
    } else if (index === referenceIndexName) {
      if (!(await freeReference(deps, intent, deadlineAt))) await pause(lookAgainMs)
    } else {
      draws += 1
      await drawAgain(deps, intent, index, deadlineAt)
    }
  }
  deps.shortCodes.giveBack(intent.shortCode)
  if (sandbox) deps.fullSandboxes.add(businessId)
  throw noFreeCodeRefusal('payment')
}

async function freeRequestKey({ Intent }: InsertDeps, { key, arrivedAt }: WriteRequest): Promise<boolean> {
  const old = { 'requestKey.key': key, 'requestKey.at': { $lte: freshKeysSince(arrivedAt) } }
  return (await Intent.updateOne(old, { $unset: { requestKey: 1 } })).modifiedCount > 0
}

async function drawAgain(deps: InsertDeps, intent: Intent, index: string, deadlineAt: number): Promise<void> {
  if (index === 'referenceNumber') intent.referenceNumber = newReferenceNumber()
  else if (index === 'shortCode') intent.shortCode = await deps.shortCodes.take(deadlineAt)
  else if (!(await freeReusableCode(deps, intent.codeKey ?? ''))) giveCode(intent, newPaymentCode())
}

function draft(
  deps: InsertDeps,
  caller: Caller,
  input: IntentInput,
  request: WriteRequest,
  shortCode: string,
) {
  const now = deps.now()
  const mark = createRequestMark(request, now)
  const codeExpiresAt = new Date(now.getTime() + deps.config.codeLifetimeMs)
  const expiresAt = new Date(now.getTime() + deps.config.intentLifetimeMs)
  const intent: Intent = {
    _id: newId(),
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    referenceNumber: newReferenceNumber(),
    shortCode,
    code: '',
    codeExpiresAt,
    codeReusableAt: codeReusableFrom(codeExpiresAt),
    ...input,
    ...referenceKeyOf(caller, input),
    listedAmount: input.amountType === 'FIXED' ? input.amount : null,
    ...(caller.person && { till: madeBy(caller.person) }),
    status: 'PENDING',
    cancellationReason: null,
    payment: null,
    hold: null,
    failure: null,
    attempts: [],
    refunds: [],
    refundsCommitted: 0,
    feesReturned: { providerTtc: 0, payerTtc: 0 },
    expiresAt,
    cancelsAt: expiresAt,
    createdAt: now,
    updatedAt: now,
    outbox: [],
    requestKey: mark,
    marks: [],
    payBase: deps.config.payUrl,
    responseFormat,
  }
  giveCode(intent, newPaymentCode())
  intent.outbox = [newEvent('payment.created', now, paymentFacts(intent, {}), request.cause)]
  return { intent, mark }
}

const madeBy = ({ id: personId, form }: ActingPerson) => ({ personId, ...(form && { form }) })

function giveCode(intent: Intent, code: string): void {
  intent.code = code
  intent.codeKey = paymentCodeKeyOf(intent, code)
}

/** The unique index skips intents that lack this field. */
const referenceKeyOf = (
  { businessId, sandbox }: Pick<Intent, 'businessId' | 'sandbox'>,
  { merchantReference }: Pick<Intent, 'merchantReference'>,
): Pick<Intent, 'referenceKey'> =>
  merchantReference === null
    ? {}
    : { referenceKey: `${modeOf({ sandbox })}:${businessId}:${merchantReference}` }

const holderFields = { referenceNumber: 1, ...intentAsOfFields }
type Holder = Pick<Intent, keyof typeof holderFields>

/** Throws MERCHANT_REFERENCE_TAKEN unless the other intent is overdue. */
async function freeReference(deps: InsertDeps, intent: Intent, deadlineAt: number): Promise<boolean> {
  const now = deps.now()
  const { referenceKey = '' } = intent
  const holder = await deps.Intent.findOne({ referenceKey }, holderFields).lean<Holder>()
  if (holder === null) return false
  const { status, referenceNumber } = intentAsOf(holder, now)
  if (isPending(status) || isRefundable(status)) {
    deps.shortCodes.giveBack(intent.shortCode)
    throw refuse('MERCHANT_REFERENCE_TAKEN', { param: 'merchantReference', details: { referenceNumber } })
  }
  await expireIntent(deps, referenceNumber, deadlineAt)
  return true
}
