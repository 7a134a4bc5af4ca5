import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/intents.ts'
import { ratesAt } from '../../businesses/business.ts'
import type { Caller } from '../../businesses/caller.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../../idempotency/request.ts'
import { maskPhone, readPhone } from '../../input/phone.ts'
import { wakeRelay } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { commissionOf } from '../../wallets/commission.ts'
import { failingPaymentAmount } from '../../wallets/wallet.ts'
import { findEarlierResult, toSimulationResult } from '../effect.ts'
import { findIntentToChange, type IntentChangeDeps } from '../find.ts'
import type { IntentWithoutRefunds } from '../intent.ts'
import { changeableIntents, isPending } from '../lifecycle.ts'
import { intentAsOf } from '../present.ts'
import { payerHashOf } from '../records.ts'
import { acceptsPayments, createMarking, dropOldMarks } from '../transition.ts'
import { paymentFailureOf, type ReportedOutcome, recordPayment } from './begin-and-settle.ts'

interface SimulationRequest {
  /** In centimes. Null stands for the intent's own amount or a default. */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/** Payments from this demo wallet always succeed. */
const demoPayer = '22000001'

export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): SimulationRequest {
  const valid = deps.validate(simulatePaymentBody, body)
  const { amount = null, payerPhone = demoPayer, outcome = 'success' } = valid
  return { amount, payerPhone: readPhone(payerPhone) ?? demoPayer, outcome }
}

const defaultOpenAmount = 10_000

const technicalError: ReportedOutcome = { outcome: 'failed', reason: 'technical_error' }
const outcomes: Record<SimulationRequest['outcome'], ReportedOutcome> = {
  success: { outcome: 'done' },
  insufficient_funds: { outcome: 'declined', reason: 'insufficient_funds' },
  technical_error: technicalError,
}

/** SPEC 4.6. Returns PAYMENT_FAILED if a failure was requested. */
export async function simulatePayment(
  deps: IntentChangeDeps & Pick<Deps, 'secrets'>,
  caller: Caller,
  referenceNumber: string,
  simulation: SimulationRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { deadlineAt, cause } = request
  const before = await findIntentToChange(deps, caller, referenceNumber, request)
  const earlier = await findEarlierResult(deps, caller, before, request)
  if (earlier !== null) return earlier
  if (!acceptsPayments(before)) throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 30 })
  const amount = amountFor(before, simulation.amount, deps.config.maxAmount)
  const now = deps.now()
  if (before.hold !== null || !isPending(intentAsOf(before, now).status)) throw refuse('INTENT_NOT_PENDING')
  await dropOldMarks(deps, before, deadlineAt)
  const payerPhone = maskPhone(simulation.payerPhone)
  const payerHash = payerHashOf(deps, simulation.payerPhone)
  const commission = commissionOf(amount, ratesAt(caller.commission, deps.config.commissionRates, now))
  const payment = { id: newId(), wallet: 'simulation', amount, commission, payerPhone, payerHash } as const
  const outcome = amount === failingPaymentAmount ? technicalError : outcomes[simulation.outcome]
  const marking = createMarking(request, now, { payment: { failure: paymentFailureOf(outcome) } })
  // If the clock were set back in between, an expired intent could be paid.
  const fixed = { ...deps, now: () => now }
  const by = { marking, cause, guard: changeableIntents(now) }
  const after = await recordPayment(fixed, before, payment, outcome, by, deadlineAt)
  if (after === null) throw refuse('INTENT_NOT_PENDING')
  wakeRelay(deps, after)
  const { requestId } = cause
  deps.log.info({ referenceNumber, ...outcome, status: after.status, requestId }, 'payment.settled')
  return effectResult(marking.mark, toSimulationResult(deps, { ...after, refunds: [] }, marking.mark), false)
}

function amountFor(
  { amountType, amount }: IntentWithoutRefunds,
  requested: number | null,
  maxAmount: number,
): number {
  if (amountType === 'FIXED' && requested !== null && requested !== amount)
    throw refuse('VALIDATION_ERROR', {
      param: 'amount',
      message: `amount must be omitted or equal the payment intent's amount, ${amount}.`,
    })
  return requested ?? amount ?? Math.min(defaultOpenAmount, maxAmount)
}
