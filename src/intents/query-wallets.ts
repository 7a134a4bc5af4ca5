import type { WithinDeadline } from '../idempotency/request.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { Cause } from '../tracing/tracing.ts'
import { firstQueryAt, outcomeOf } from '../wallets/query.ts'
import type { KnownOutcome, StatusQuery, WalletName, WalletOutcome } from '../wallets/wallet.ts'
import type { Intent } from './intent.ts'
import { settlePayment } from './payments/begin-and-settle.ts'
import { createRefusedPins } from './payments/refused-pins.ts'
import type { Payment, PaymentHold, Refund } from './records.ts'
import { pending, settleRefund } from './refunds/begin-and-settle.ts'

type SettleDeps = Pick<Deps, 'Intent' | 'batchers' | 'counters' | 'enqueue' | 'log' | 'metrics' | 'now'>

type QueryDeps = SettleDeps & Pick<Deps, 'backgroundWork' | 'capacity' | 'config' | 'walletQueries' | 'wallets'>

/**
 * A payment or refund that was sent to a wallet and whose outcome is unknown. `settle` ends the payment or refund.
 * `scheduleQuery` stores the time of the next query to the wallet.
 */
export interface OpenOrder {
  intent: Intent
  wallet: WalletName
  query: StatusQuery
  startedAt: Date
  queryAt: Date
  /** `cause` is the request that queried the wallet, or null if a job queried the wallet. */
  settle(outcome: KnownOutcome, cause: Cause | null): Promise<unknown>
  scheduleQuery(at: Date): Promise<void>
}

export function openPayment(deps: SettleDeps, intent: Intent, payment: PaymentHold): OpenOrder {
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
      if (settled !== null) createRefusedPins(deps).settleLate(payment, intent, outcome)
      return settled
    },
    scheduleQuery: (at) => setQueryAt(deps, intent, { 'hold.id': key }, { 'hold.queryAt': at }),
  }
}

/** `payment` is the payment that is being refunded. */
export function openRefund(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'enqueue' | 'log' | 'metrics' | 'now'>,
  intent: Intent,
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
    scheduleQuery: (at) => setQueryAt(deps, intent, pending(key), { 'refunds.$.queryAt': at }),
  }
}

async function setQueryAt(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Intent,
  whileOpen: Record<string, unknown>,
  $set: Record<string, Date>,
): Promise<void> {
  await deps.Intent.updateOne({ businessId, sandbox, _id, ...whileOpen }, { $set })
}

/** Returns the payment or refund with this key if it has not ended yet. Otherwise, returns null. */
export function findOpen(deps: SettleDeps, intent: Intent, key: string): OpenOrder | null {
  const { hold, payment, refunds } = intent
  if (hold?.id === key) return openPayment(deps, intent, hold)
  const refund = refunds.find(({ id, status }) => id === key && status === 'PENDING')
  return refund === undefined || payment === null ? null : openRefund(deps, intent, payment, refund)
}

/**
 * If a query leaves the outcome unknown, the time until the next query is a quarter of the order's age, but within
 * these limits.
 */
const minWaitMs = 1000
const maxWaitMs = 60_000

/**
 * The result of a query. `intent` identifies the intent in the log, and is null if the intent has been removed.
 * `outcome` is the outcome that the wallet reported, or one of these values:
 * - `ended`: the payment or refund has already ended.
 * - `not-due`: the next query is not due yet.
 * - `no-slot`: this process is already running as many queries as one business may have at the same time.
 *
 * `why` is the reason why the outcome is unknown. `nextAt` is the time of the next query, or null if no query is
 * needed.
 */
export interface QueryResult {
  intent: Pick<Intent, 'referenceNumber' | 'businessId'> | null
  outcome: WalletOutcome['outcome'] | 'ended' | 'not-due' | 'no-slot'
  why: string | null
  nextAt: Date | null
}

/**
 * Queries the wallet for the outcome of the payment or refund with this key, if a query is due. If the wallet reports
 * an outcome, ends the payment or refund. Even if two processes query the wallet at the same time, the payment or
 * refund ends only once. `hasSlot` is true if the caller already holds one of the business's query slots.
 */
export async function queryWallet(
  deps: QueryDeps,
  intentId: string,
  key: string,
  { hasSlot = false } = {},
): Promise<QueryResult> {
  const found = await deps.Intent.findById(intentId).lean<Intent | null>()
  const intent = found && identityOf(found)
  const open = found && findOpen(deps, found, key)
  if (open === null) return { intent, outcome: 'ended', why: null, nextAt: null }
  if (hasSlot) return queryOrder(deps, open, worker)
  const held = deps.capacity.takeNow([open.intent.businessId], { walletQueries: 1 })
  if (held === null) return { intent, outcome: 'no-slot', why: null, nextAt: randomRetryAt(deps, open.startedAt) }
  return queryOrder(deps, open, worker).finally(held.free)
}

const identityOf = ({ referenceNumber, businessId }: Intent) => ({ referenceNumber, businessId })

/**
 * The request or job that queries a wallet. For a job, `cause` is null. `withinDeadline` limits how long the request or
 * job waits for MongoDB.
 */
export interface Querier {
  cause: Cause | null
  withinDeadline: WithinDeadline
}

/** The querier for a job. A worker sets no deadline of its own for MongoDB. */
const worker: Querier = { cause: null, withinDeadline: (work) => work(noDeadline) }

/** Like `queryWallet`, but for an order that the caller has just read, and without taking a slot. */
export async function queryOrder(
  deps: Pick<Deps, 'config' | 'log' | 'metrics' | 'now' | 'wallets'>,
  open: OpenOrder,
  { cause, withinDeadline }: Querier,
): Promise<QueryResult> {
  const intent = identityOf(open.intent)
  if (open.queryAt > deps.now()) return { intent, outcome: 'not-due', why: null, nextAt: open.queryAt }
  const outcome = await fetchOutcome(deps, open, cause)
  if (outcome.outcome !== 'unknown') {
    await withinDeadline(() => open.settle(outcome, cause))
    return { intent, outcome: outcome.outcome, why: null, nextAt: null }
  }
  const nextAt = nextQueryAt(deps, open.startedAt)
  await withinDeadline(() => open.scheduleQuery(nextAt))
  return { intent, outcome: 'unknown', why: outcome.why, nextAt }
}

/** Queries only the wallet that received the order. Any other wallet would report that the order does not exist. */
async function fetchOutcome(
  deps: Pick<Deps, 'config' | 'log' | 'metrics' | 'wallets'>,
  { wallet: name, query }: OpenOrder,
  cause: Cause | null,
): Promise<WalletOutcome> {
  const wallet = deps.wallets.named(name)
  if (wallet === null) return { outcome: 'unknown', why: 'not configured' }
  return outcomeOf(deps, name, () => wallet.status({ ...query, requestId: cause?.requestId ?? null }))
}

function nextQueryAt(deps: Pick<Deps, 'now'>, startedAt: Date): Date {
  const now = deps.now().getTime()
  const waitMs = Math.min(maxWaitMs, Math.max(minWaitMs, (now - startedAt.getTime()) / 4))
  return new Date(now + waitMs)
}

/**
 * Returns a random time for the next query. Random times spread out the queries for orders that became due at the same
 * time, for example after an outage.
 */
function randomRetryAt(deps: Pick<Deps, 'now'>, startedAt: Date): Date {
  const now = deps.now().getTime()
  const waitMs = nextQueryAt(deps, startedAt).getTime() - now
  return new Date(now + minWaitMs + Math.random() * (waitMs - minWaitMs))
}

/**
 * Leaves an order with an unknown outcome to the workers. Never throws. Even if storing the next query time fails, a
 * poll finds the order, because every order has a `queryAt` from the start.
 */
export async function leaveOpen(
  deps: Pick<Deps, 'enqueue' | 'now'>,
  open: OpenOrder,
  withinDeadline: WithinDeadline,
): Promise<void> {
  const at = firstQueryAt(deps.now())
  await withinDeadline(() => open.scheduleQuery(at)).then(
    () => enqueueWalletOutcome(deps, open.intent, open.query.key, at),
    () => undefined,
  )
}

/**
 * Returns the job that queries the wallet for the outcome of one payment or refund. The job's id is the key of the
 * payment or refund at the wallet, so adding the job twice creates only one job.
 */
export const walletOutcomeJob = (intentId: string, key: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: key,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/**
 * Enqueues a wallet query for the time `at`. If the job is lost, the poll for due wallet queries finds the payment or
 * refund.
 */
export const enqueueWalletOutcome = (
  deps: Pick<Deps, 'enqueue' | 'now'>,
  { _id }: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void => deps.enqueue('wallet-outcome', [walletOutcomeJob(_id, key, at, deps.now())])

/**
 * The maximum number of intents per business in one run of the poll. A process never runs this many wallet queries for
 * one business at the same time.
 */
const maxPerBusiness = 100

interface Open extends Pick<Intent, '_id' | 'businessId' | 'hold' | 'refunds'> {
  queryAt: Date
}

/**
 * Starts the wallet queries that are due. In each run, every business gets a fair share. This function does not wait
 * for the wallets, because a wallet that hangs must not delay the queries to other wallets. Returns the number of
 * intents that were found. Due payments and due refunds are found by two separate searches, because each of them has
 * its own index.
 */
export async function queryDueWallets(deps: QueryDeps): Promise<number> {
  const payments = await queryBy(deps, 'hold.queryAt', 'paymentToQuery', '$hold.queryAt')
  return payments + (await queryBy(deps, 'refunds.queryAt', 'refundToQuery', { $min: '$refunds.queryAt' }))
}

async function queryBy(deps: QueryDeps, field: string, index: string, queryAt: unknown): Promise<number> {
  const now = deps.now()
  return inFairBatches<Open>(
    maxPerBusiness,
    (last, without) =>
      nativeCollection(deps.Intent).find<Open>(
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

/**
 * Selects only the PENDING refunds of an intent. An intent may have a thousand refunds, and most of them have already
 * ended.
 */
const pendingRefunds = { $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'PENDING'] } } }

/** Returns the wallet keys of those payments and refunds of the intent for which a query is due. */
function keysDue({ hold, refunds }: Open, now: Date): string[] {
  const open = hold === null ? refunds : [hold, ...refunds]
  return open.filter(({ queryAt }) => queryAt !== undefined && queryAt <= now).map(({ id }) => id)
}

/**
 * Starts a query in the background, unless no slot is free or this process is already running the query. Takes the slot
 * before the intent is read, because a business may have a thousand due queries, and reading the intent is useless if
 * there is no slot for its query.
 */
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
  if (outcome === 'unknown') deps.log.warn({ intentId, ...intent, key, outcome, why, nextAt }, 'wallet.queried')
}
