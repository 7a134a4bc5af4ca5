import type { WithinDeadline } from '../idempotency/request.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { rawCollection } from '../mongo/collection.ts'
import { runInFairBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { CausingRequest } from '../tracing/tracing.ts'
import {
  callWallet,
  type KnownWalletOutcome,
  type OrderStatusQuery,
  type WalletName,
  type WalletOutcome,
} from '../wallets/wallet.ts'
import type { Intent, IntentWithoutRefunds } from './intent.ts'
import { settlePayment } from './payments/begin-and-settle.ts'
import { createRefusedPinLimit } from './payments/refused-pins.ts'
import type { Payment, PaymentHold, Refund } from './records.ts'
import { pendingRefundFilter, settleRefund } from './refunds/begin-and-settle.ts'
import type { SettleDeps } from './transition.ts'

type PaymentDeps = SettleDeps & Pick<Deps, 'counters'>
type QueryDeps = PaymentDeps &
  Pick<Deps, 'backgroundWork' | 'capacity' | 'config' | 'walletQueries' | 'wallets'>

interface OpenOrder {
  intent: IntentWithoutRefunds
  wallet: WalletName
  query: OrderStatusQuery
  startedAt: Date
  queryAt: Date
  settle(outcome: KnownWalletOutcome, cause: CausingRequest | null): Promise<unknown>
  scheduleQuery(at: Date): Promise<void>
}

export function unsettledPayment(
  deps: PaymentDeps,
  intent: IntentWithoutRefunds,
  payment: PaymentHold,
): OpenOrder {
  const { id: key, wallet, amount, commission, startedAt, validUntil, queryAt } = payment
  const fee = commission.payerTtc
  return {
    intent,
    wallet,
    query: { kind: 'payment', businessId: intent.businessId, key, amount, fee, validUntil },
    startedAt,
    queryAt,
    async settle(outcome, cause) {
      const settled = await settlePayment(deps, intent, payment, outcome, { cause, deadlineAt: noDeadline })
      if (settled !== null) createRefusedPinLimit(deps).settleLate(payment, intent, outcome)
      return settled
    },
    scheduleQuery: (at) => setQueryAt(deps, intent, { 'hold.id': key }, { 'hold.queryAt': at }),
  }
}

export function unsettledRefund(
  deps: SettleDeps,
  intent: IntentWithoutRefunds,
  { wallet }: Pick<Payment, 'wallet'>,
  refund: Refund,
): OpenOrder {
  const { id: key, amount, returnedFees, createdAt, validUntil, queryAt } = refund
  const fee = returnedFees.payerTtc
  return {
    intent,
    wallet,
    query: { kind: 'refund', businessId: intent.businessId, key, amount, fee, validUntil },
    startedAt: createdAt,
    queryAt: queryAt ?? validUntil,
    settle: (outcome, cause) => settleRefund(deps, intent, refund, outcome, cause),
    scheduleQuery: (at) => setQueryAt(deps, intent, pendingRefundFilter(key), { 'refunds.$.queryAt': at }),
  }
}

async function setQueryAt(
  deps: Pick<Deps, 'Intent'>,
  { _id }: Pick<Intent, '_id'>,
  whileOpen: Record<string, unknown>,
  $set: Record<string, Date>,
): Promise<void> {
  await deps.Intent.updateOne({ _id, ...whileOpen }, { $set })
}

export function findUnsettledOrder(deps: PaymentDeps, intent: Intent, key: string): OpenOrder | null {
  const { hold, payment, refunds } = intent
  if (hold?.id === key) return unsettledPayment(deps, intent, hold)
  const refund = refunds.find(({ id, status }) => id === key && status === 'PENDING')
  return refund === undefined || payment === null ? null : unsettledRefund(deps, intent, payment, refund)
}

/** Waits for a quarter of the order's age, within these limits. */
const minWaitMs = 1000
const maxWaitMs = 60_000

export interface WalletQueryResult {
  intent: Pick<Intent, 'referenceNumber' | 'businessId'> | null
  /** `no-slot` means that the business is using all its query slots. */
  outcome: WalletOutcome['outcome'] | 'ended' | 'not-due' | 'no-slot'
  why: string | null
  nextAt: Date | null
}

export async function queryWallet(
  deps: QueryDeps,
  intentId: string,
  key: string,
  { hasSlot = false } = {},
): Promise<WalletQueryResult> {
  const found = await deps.Intent.findById(intentId).lean<Intent | null>()
  const intent = found && identityOf(found)
  const open = found && findUnsettledOrder(deps, found, key)
  if (open === null) return { intent, outcome: 'ended', why: null, nextAt: null }
  if (hasSlot) return queryOrderOutcome(deps, open, null, runUnlimited)
  const held = deps.capacity.takeNow([open.intent.businessId], { walletQueries: 1 })
  if (held === null)
    return { intent, outcome: 'no-slot', why: null, nextAt: randomRetryAt(deps, open.startedAt) }
  return queryOrderOutcome(deps, open, null, runUnlimited).finally(held.free)
}

const runUnlimited: WithinDeadline = (work) => work(noDeadline)

const identityOf = ({ referenceNumber, businessId }: IntentWithoutRefunds) => ({
  referenceNumber,
  businessId,
})

export async function queryOrderOutcome(
  deps: Pick<Deps, 'config' | 'log' | 'metrics' | 'now' | 'wallets'>,
  open: OpenOrder,
  cause: CausingRequest | null,
  withinDeadline: WithinDeadline,
): Promise<WalletQueryResult> {
  const intent = identityOf(open.intent)
  if (open.queryAt > deps.now()) return { intent, outcome: 'not-due', why: null, nextAt: open.queryAt }
  // Any other wallet would report that the order doesn't exist.
  const wallet = deps.wallets.named(open.wallet)
  const query = { ...open.query, requestId: cause?.requestId ?? null }
  const outcome: WalletOutcome =
    wallet === null
      ? { outcome: 'unknown', why: 'not configured' }
      : await callWallet(deps, open.wallet, () => wallet.status(query))
  if (outcome.outcome !== 'unknown') {
    await withinDeadline(() => open.settle(outcome, cause))
    return { intent, outcome: outcome.outcome, why: null, nextAt: null }
  }
  const nextAt = nextQueryAt(deps, open.startedAt)
  await withinDeadline(() => open.scheduleQuery(nextAt))
  return { intent, outcome: 'unknown', why: outcome.why, nextAt }
}

function nextQueryAt(deps: Pick<Deps, 'now'>, startedAt: Date): Date {
  const now = deps.now().getTime()
  const waitMs = Math.min(maxWaitMs, Math.max(minWaitMs, (now - startedAt.getTime()) / 4))
  return new Date(now + waitMs)
}

/** After an outage, many orders are due at once, so the wait is random. */
function randomRetryAt(deps: Pick<Deps, 'now'>, startedAt: Date): Date {
  const now = deps.now().getTime()
  const waitMs = nextQueryAt(deps, startedAt).getTime() - now
  return new Date(now + minWaitMs + Math.random() * (waitMs - minWaitMs))
}

/** If this fails, a poll finds the order by its first `queryAt`. */
export async function leaveOrderToWorkers(
  deps: Pick<Deps, 'enqueue' | 'log' | 'now'>,
  { intent, wallet, query: { kind, key }, scheduleQuery }: OpenOrder,
  { why, requestId }: { why: string; requestId: string | null },
  withinDeadline: WithinDeadline,
): Promise<void> {
  const about = { ...identityOf(intent), wallet, why, requestId }
  if (kind === 'payment') deps.log.warn(about, 'payment.outcome-unknown')
  else deps.log.warn({ ...about, refundId: key }, 'refund.outcome-unknown')
  const at = new Date(deps.now().getTime() + minWaitMs)
  await withinDeadline(() => scheduleQuery(at)).then(
    () => enqueueWalletOutcome(deps, intent, key, at),
    () => undefined,
  )
}

/** The job's id is the order's idempotency key, so repeats are harmless. */
export function enqueueWalletOutcome(
  deps: Pick<Deps, 'enqueue' | 'now'>,
  { _id: intentId }: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void {
  const delayMs = Math.max(0, at.getTime() - deps.now().getTime())
  deps.enqueue('wallet-outcome', [{ data: { intentId }, jobId: key, delayMs }])
}

/** A process runs fewer concurrent queries than this for a business. */
const maxPerBusiness = 100

interface Open extends Pick<Intent, '_id' | 'businessId' | 'hold' | 'refunds'> {
  queryAt: Date
}

/** Doesn't wait for the queries, because a wallet may hang. */
export async function queryDueOrders(deps: QueryDeps): Promise<number> {
  const payments = await queryBy(deps, 'hold.queryAt', 'paymentToQuery', '$hold.queryAt')
  return payments + (await queryBy(deps, 'refunds.queryAt', 'refundToQuery', { $min: '$refunds.queryAt' }))
}

async function queryBy(deps: QueryDeps, field: string, index: string, queryAt: unknown): Promise<number> {
  const now = deps.now()
  return runInFairBatches<Open>(
    maxPerBusiness,
    (last, without) =>
      rawCollection(deps.Intent).find<Open>(
        {
          [field]: { $lte: now, ...(last === null ? {} : { $gte: last.queryAt }) },
          businessId: { $nin: [...without] },
        } as object,
        {
          projection: { businessId: 1, hold: 1, refunds: pendingRefunds, queryAt },
          hint: index,
          sort: { [field]: 1 },
        },
      ),
    async (intents) => {
      for (const intent of intents) for (const key of keysDue(intent, now)) startQuery(deps, intent, key)
    },
  )
}

/** An intent can have a thousand refunds, nearly all of them settled. */
const pendingRefunds = { $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'PENDING'] } } }

function keysDue({ hold, refunds }: Open, now: Date): string[] {
  const open = hold === null ? refunds : [hold, ...refunds]
  return open.filter(({ queryAt }) => queryAt !== undefined && queryAt <= now).map(({ id }) => id)
}

/** Takes a slot first. Without one, reading the intent is often wasted. */
function startQuery(deps: QueryDeps, { _id: intentId, businessId }: Open, key: string): void {
  const held = deps.walletQueries.has(key) ? null : deps.capacity.takeNow([businessId], { walletQueries: 1 })
  if (held === null) return
  deps.walletQueries.add(key)
  void deps.backgroundWork.add(
    queryAndLog(deps, intentId, key)
      .catch((err: unknown) => deps.log.warn({ err, intentId, businessId, key }, 'wallet.query-failed'))
      .finally(() => {
        deps.walletQueries.delete(key)
        held.free()
      }),
  )
}

async function queryAndLog(deps: QueryDeps, intentId: string, key: string): Promise<void> {
  const { intent, outcome, why, nextAt } = await queryWallet(deps, intentId, key, { hasSlot: true })
  if (outcome === 'unknown')
    deps.log.warn({ intentId, ...intent, key, outcome, why, nextAt }, 'wallet.queried')
}
