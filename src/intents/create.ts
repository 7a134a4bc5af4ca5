import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { type Refusal, refuse } from '../errors.ts'
import { type DoneBefore, doneBefore, type Effect } from '../idempotency/effect.ts'
import { newEvent, type OutboxEvent } from '../outbox/event.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import { withLiveCode } from '../quotas/live-codes.ts'
import { withinSandboxDay } from '../quotas/sandbox-day.ts'
import { newPaymentCode, newReferenceNumber } from '../security/ids.ts'
import { codeKeyOf, codeReusableFrom, freeIfReusable } from './code.ts'
import { paymentFacts } from './facts.ts'
import type { Intent } from './intent.ts'
import { insertUnlessTaken, referenceKeyOf } from './merchant-reference.ts'
import type { IntentRequest } from './parse-create.ts'
import { createdResponse, responseFormat } from './present-created.ts'
import { countTransition } from './transition.ts'

/**
 * The maximum number of codes to draw for one intent. If a third of the million codes are free, 16 draws find a free
 * code with a probability of 99.8 %.
 */
const maxDraws = 16

type Created = Record<string, unknown> | DoneBefore

/**
 * Creates a PENDING intent together with its `payment.created` event in ONE insert, and then wakes the relay. Returns
 * the response data (SPEC 4.1). Throws RATE_LIMITED if the business has used up a quota, MERCHANT_REFERENCE_TAKEN if
 * another intent has the merchant's reference, and SERVICE_UNAVAILABLE if no payment code or short code is free. In all
 * these cases, nothing has been stored.
 */
export function createIntent(deps: Deps, caller: Caller, request: IntentRequest, effect: Effect): Promise<Created> {
  const insert = () => insertIntent(deps, caller, request, effect)
  return caller.sandbox ? withinSandboxDay(deps, caller, 1, insert) : withLiveCode(deps, caller, insert)
}

async function insertIntent(deps: Deps, caller: Caller, request: IntentRequest, effect: Effect): Promise<Created> {
  const { businessId, sandbox } = caller
  if (sandbox && deps.fullSandboxes.has(businessId)) throw noCodeFree()
  const shortCode = await deps.shortCodes.take(effect.deadlineAt)
  const intent = draft(deps, caller, request, effect, shortCode)
  for (let draw = 0; draw < maxDraws; draw += 1) {
    const insertion = await insertUnlessTaken(deps, intent, effect.deadlineAt)
    if (insertion.inserted) {
      const data = createdResponse(intent)
      countTransition(deps, 'create', intent)
      wakeRelay(deps, intent)
      return data
    }
    if (insertion.index === '_id_') return doneBefore
    await drawAgain(deps, intent, insertion.index, effect.deadlineAt)
  }
  if (sandbox) deps.fullSandboxes.add(businessId)
  throw noCodeFree()
}

const noCodeFree = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 30,
    message: 'No payment code is free now. Nothing was created. Repeat the request with the same idempotency key.',
  })

/** Draws a new value for the unique field whose value was already taken. Never changes `_id`. */
async function drawAgain(deps: Deps, intent: Intent, index: string, deadlineAt: number): Promise<void> {
  if (index === 'referenceNumber') intent.referenceNumber = newReferenceNumber()
  else if (index === 'shortCode') intent.shortCode = await deps.shortCodes.take(deadlineAt)
  else if (!(await freeIfReusable(deps, intent.codeKey ?? ''))) giveCode(intent, newPaymentCode())
}

function draft(deps: Deps, caller: Caller, request: IntentRequest, effect: Effect, shortCode: string): Intent {
  const now = deps.now()
  const codeExpiresAt = new Date(now.getTime() + deps.config.codeLifetimeMs)
  const expiresAt = new Date(now.getTime() + deps.config.intentLifetimeMs)
  const intent: Intent = {
    _id: effect.id,
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    referenceNumber: newReferenceNumber(),
    shortCode,
    code: '',
    codeExpiresAt,
    codeReusableAt: codeReusableFrom(codeExpiresAt),
    ...request,
    ...referenceKeyOf(caller, request),
    listedAmount: request.amountType === 'FIXED' ? request.amount : null,
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
    effects: [],
    payBase: deps.config.payUrl,
    responseFormat,
  }
  giveCode(intent, newPaymentCode())
  intent.outbox = [createdEvent(intent, effect)]
  return intent
}

const createdEvent = (intent: Intent, { cause }: Effect): OutboxEvent =>
  newEvent('payment.created', intent.createdAt, paymentFacts(intent, {}), cause)

function giveCode(intent: Intent, code: string): void {
  intent.code = code
  intent.codeKey = codeKeyOf(intent, code)
}
