import { setTimeout as pause } from 'node:timers/promises'
import { createLiveIntentBody, createTestIntentBody } from '../../schemas/intents.ts'
import type { Caller } from '../businesses/caller.ts'
import { type Reserve, withinStorage } from '../businesses/quotas.ts'
import { effectOf, newMark, type Result, type WriteRequest } from '../idempotency/request.ts'
import { freshSince, type Mark } from '../idempotency/response.ts'
import { environmentOf } from '../metrics/metrics.ts'
import { bytesOf } from '../mongo/bytes-of.ts'
import { newEvent } from '../outbox/event.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse, refuseLate } from '../platform/errors.ts'
import { newId, newPaymentCode, newReferenceNumber } from '../platform/ids.ts'
import { codeKeyOf, codeReusableFrom, freeIfReusable, noCodeFree } from './codes.ts'
import { expireIntent } from './expire.ts'
import { type Intent, referenceIndex, requestIndex } from './intent.ts'
import { isPending, isRefundable } from './lifecycle.ts'
import { liveCodeLimit } from './live-codes.ts'
import { asOf, createdResponse, expiryFields, findCreated, responseFormat } from './present.ts'
import { countTransition, paymentFacts } from './transition.ts'

export type IntentRequest = Pick<
  Intent,
  'amount' | 'amountType' | 'label' | 'merchantReference' | 'metadata' | 'successUrl' | 'cancelUrl'
>

export function parseCreate(deps: Pick<Deps, 'validate'>, sandbox: boolean, body: unknown): IntentRequest {
  const schema = sandbox ? createTestIntentBody : createLiveIntentBody
  const valid = deps.validate(schema, body)
  return {
    amount: valid.amount ?? null,
    amountType: valid.amountType ?? 'FIXED',
    label: valid.label ?? null,
    merchantReference: valid.merchantReference ?? null,
    metadata: Object.entries(valid.metadata ?? {}).map(([key, value]) => ({ key, value })),
    successUrl: valid.success_url ?? null,
    cancelUrl: valid.cancel_url ?? null,
  }
}

/** If a third of the million codes are free, 16 draws find one with a probability of 99.8 %. */
const maxDraws = 16
/** Paces the loop while a majority doesn't have the other intent yet. */
const lookAgainMs = 20

/**
 * Creates a PENDING intent and its `payment.created` event in ONE insert, then wakes the relay (SPEC 4.1). Throws
 * RATE_LIMITED if a quota is used up, MERCHANT_REFERENCE_TAKEN, or SERVICE_UNAVAILABLE if no payment code or short code
 * is free. In all these cases nothing is stored.
 */
export function createIntent(
  deps: Pick<
    Deps,
    | 'Intent'
    | 'batchers'
    | 'config'
    | 'counters'
    | 'enqueue'
    | 'fullSandboxes'
    | 'liveCodes'
    | 'metrics'
    | 'now'
    | 'shortCodes'
  >,
  caller: Caller,
  input: IntentRequest,
  request: WriteRequest,
): Promise<Result> {
  return withinStorage(deps, caller, (reserve) => {
    const insert = () => insertIntent(deps, caller, input, request, reserve)
    return caller.sandbox ? insert() : deps.liveCodes.within(caller, liveCodeLimit(deps, caller), insert)
  })
}

async function insertIntent(
  deps: Pick<
    Deps,
    'Intent' | 'batchers' | 'config' | 'enqueue' | 'fullSandboxes' | 'metrics' | 'now' | 'shortCodes'
  >,
  caller: Caller,
  input: IntentRequest,
  request: WriteRequest,
  reserve: Reserve,
): Promise<Result> {
  const { businessId, sandbox } = caller
  const { deadlineAt } = request
  if (sandbox && deps.fullSandboxes.has(businessId)) throw noCodeFree('payment')
  const shortCode = await deps.shortCodes.take(deadlineAt)
  const { intent, mark } = draft(deps, caller, input, request, shortCode)
  await reserve({ creates: 1, bytes: bytesOf(intent) }).catch((error: unknown) => {
    deps.shortCodes.giveBack(shortCode)
    throw error
  })
  for (let draws = 0; draws < maxDraws; ) {
    refuseLate(deadlineAt)
    const insertion = await deps.batchers.insertIntent(intent, deadlineAt)
    if (insertion.inserted) {
      countTransition(deps, 'create', intent)
      wakeRelay(deps, intent)
      return effectOf(mark, createdResponse(intent), false)
    }
    // MongoDB names only one of the unique indexes that refused the document, so always look for an earlier request.
    const earlier = await findCreated(deps, request)
    const { index } = insertion
    if (earlier !== null) {
      if (index !== 'shortCode') deps.shortCodes.giveBack(intent.shortCode)
      return earlier
    }
    if (index === requestIndex || index === referenceIndex) {
      const isFree =
        index === requestIndex
          ? await freeRequestKey(deps, request)
          : await freeReference(deps, intent, deadlineAt)
      // The other intent may not have reached a majority yet.
      if (!isFree) await pause(lookAgainMs)
    } else {
      draws += 1
      await drawAgain(deps, intent, index, deadlineAt)
    }
  }
  deps.shortCodes.giveBack(intent.shortCode)
  if (sandbox) deps.fullSandboxes.add(businessId)
  throw noCodeFree('payment')
}

/** After 24 hours, a key no longer counts. */
async function freeRequestKey(
  { Intent }: Pick<Deps, 'Intent'>,
  { key, arrivedAt }: WriteRequest,
): Promise<boolean> {
  const old = { 'requestKey.key': key, 'requestKey.at': { $lte: freshSince(arrivedAt) } }
  return (await Intent.updateOne(old, { $unset: { requestKey: 1 } })).modifiedCount > 0
}

async function drawAgain(
  deps: Pick<Deps, 'Intent' | 'now' | 'shortCodes'>,
  intent: Intent,
  index: string,
  deadlineAt: number,
): Promise<void> {
  if (index === 'referenceNumber') intent.referenceNumber = newReferenceNumber()
  else if (index === 'shortCode') intent.shortCode = await deps.shortCodes.take(deadlineAt)
  else if (!(await freeIfReusable(deps, intent.codeKey ?? ''))) giveCode(intent, newPaymentCode())
}

function draft(
  deps: Pick<Deps, 'config' | 'now'>,
  caller: Caller,
  input: IntentRequest,
  request: WriteRequest,
  shortCode: string,
): { intent: Intent; mark: Mark } {
  const now = deps.now()
  const mark = newMark(request, now)
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

function giveCode(intent: Intent, code: string): void {
  intent.code = code
  intent.codeKey = codeKeyOf(intent, code)
}

/** No field at all without a reference, because the unique index covers only documents that have one. */
const referenceKeyOf = (
  { businessId, sandbox }: Pick<Intent, 'businessId' | 'sandbox'>,
  { merchantReference }: Pick<Intent, 'merchantReference'>,
): Pick<Intent, 'referenceKey'> =>
  merchantReference === null
    ? {}
    : { referenceKey: `${environmentOf({ sandbox })}:${businessId}:${merchantReference}` }

const holderFields = { referenceNumber: 1, ...expiryFields }
type Holder = Pick<Intent, keyof typeof holderFields>

/**
 * Frees the reference if the intent that has it is overdue, by expiring that intent now. Throws
 * MERCHANT_REFERENCE_TAKEN if it's PENDING, PAID or REFUNDED. Returns false if no intent has the reference.
 */
async function freeReference(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'enqueue' | 'metrics' | 'now' | 'shortCodes'>,
  intent: Intent,
  deadlineAt: number,
): Promise<boolean> {
  const now = deps.now()
  const holder = await deps.Intent.findOne(
    { referenceKey: intent.referenceKey ?? '' },
    holderFields,
  ).lean<Holder>()
  if (holder === null) return false
  const { status, referenceNumber } = asOf(holder, now)
  if (isPending(status) || isRefundable(status)) {
    deps.shortCodes.giveBack(intent.shortCode)
    throw refuse('MERCHANT_REFERENCE_TAKEN', { param: 'merchantReference', details: { referenceNumber } })
  }
  await expireIntent(deps, referenceNumber, deadlineAt)
  return true
}
