import { Ajv } from 'ajv'
import { currencyCode } from '../../../schemas/currency.ts'
import {
  declineReasons,
  failureReasons,
  type WalletResponse,
  walletResponse,
} from '../../../schemas/payment-reasons.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Log, throttled } from '../../platform/log.ts'
import type { RefusalReason, StatusQuery, Wallet, WalletOutcome } from '../wallet.ts'
import type { ProviderResponse } from './exchange.ts'
import { openProvider } from './provider.ts'

/**
 * The maximum clock skew of a provider. The provider's clock may be ahead, so the `validUntil` that is sent to the
 * provider is this much later than the order's own `validUntil`.
 */
const maxClockSkewMs = 30_000

/**
 * If the provider still does not know an order this long after the `validUntil` that was sent to it, it will never
 * carry out the order. Until then, it may still do so, because its clock may be behind and because it may take 30 s to
 * store an order (docs/operators/wallet-provider.md).
 */
const lostAfterMs = maxClockSkewMs + 30_000

/**
 * If more time than this has passed since the `validUntil` that was sent to the provider, the fact that the provider
 * does not know an order proves nothing, because providers remember orders for only 30 days. The margin of one day
 * allows for clock skew, and for orders that were carried out long before their `validUntil`.
 */
const forgottenAfterMs = 29 * 86_400_000

const resources = { payment: '/payments', refund: '/refunds' } as const

/**
 * The status in a response that proves that an order will never be carried out, or null if no status can prove this.
 */
type NotExecutedStatus = 'expired' | 'unknown' | null

/**
 * Creates the wallet for live mode, which calls a provider over HTTP. The outcome of an order is known only if a
 * well-formed response reports it, or if the order was certainly never sent. Otherwise, the outcome is unknown until a
 * status query determines it.
 */
export function createLiveWallet(
  deps: Pick<Deps, 'config' | 'log' | 'now'>,
  at: NonNullable<Config['walletProvider']>,
): Wallet & { close(): Promise<void> } {
  const provider = openProvider(deps, at)
  const logFault = createFaultLog(deps.log)

  function unknown(order: OrderIdentity, why: string): WalletOutcome {
    logFault(order, why)
    return { outcome: 'unknown', why }
  }

  /** Returns the outcome that a response proves. If the response cannot be trusted, the outcome is unknown. */
  function outcomeOf(
    httpResponse: ProviderResponse,
    order: OrderIdentity,
    notExecuted: NotExecutedStatus,
  ): WalletOutcome {
    const read = readResponse(httpResponse, order)
    if ('fault' in read) return unknown(order, read.fault)
    const { response } = read
    // An order expires if it took too long to reach the provider, or if a clock is wrong. An operator should know in
    // either case.
    if (response.status === 'expired') logFault(order, 'expired')
    return response.status === notExecuted ? { outcome: 'not-executed' } : toOutcome(response)
  }

  async function carryOut(order: OrderIdentity & { validUntil: Date }, extra: object): Promise<WalletOutcome> {
    const { kind, businessId, key, amount, fee } = order
    if (deps.now() >= order.validUntil) return { outcome: 'not-executed' }
    const validUntil = providerDeadline(order)
    const body = { key, amount, fee, currency: currencyCode, ...extra, validUntil }
    const result = await provider.post(businessId, resources[kind], body)
    switch (result.outcome) {
      case 'responded':
        return outcomeOf(result, order, 'expired')
      case 'lost':
        return unknown(order, result.why)
      case 'never-sent':
        logFault(order, result.why)
        return { outcome: 'not-executed' }
    }
  }

  return {
    name: `live:${at.name}`,

    authorise({ phone, pin, referenceNumber: reference, ...order }) {
      const { businessId } = order
      return carryOut({ kind: 'payment', ...order }, { phone, pin, reference, businessId })
    },

    refund: ({ paymentKey, ...order }) => carryOut({ kind: 'refund', ...order }, { paymentKey }),

    async status(query) {
      const { kind, businessId, key } = query
      // The time is read before the query is sent. The response may take a long time to arrive, and the order may reach
      // the provider in the meantime.
      const sinceMs = deps.now().getTime() - providerDeadline(query).getTime()
      const notExecuted = sinceMs > lostAfterMs && sinceMs < forgottenAfterMs ? 'unknown' : null
      const result = await provider.get(businessId, `${resources[kind]}/${encodeURIComponent(key)}`)
      if (result.outcome !== 'responded') return unknown(query, result.why)
      return outcomeOf(result, query, notExecuted)
    },

    close: () => provider.close(),
  }
}

const providerDeadline = ({ validUntil }: { validUntil: Date }): Date => new Date(validUntil.getTime() + maxClockSkewMs)

/**
 * The shortest interval between two log lines about the same fault. If a provider fails for one customer, it usually
 * fails for all customers, so one log line per interval is enough.
 */
const logEveryMs = 5000

/**
 * Logs the provider's faults. Each `why` is throttled separately, so that a frequent fault does not hide a rare one.
 */
function createFaultLog(log: Log): (order: OrderIdentity, why: string) => void {
  const writers = new Map<string, (fields: object) => void>()
  return ({ kind, key, businessId, requestId = null }, why) => {
    const write = writers.get(why) ?? throttled(logEveryMs, (fields) => log.warn(fields, 'wallet.failing'))
    writers.set(why, write)
    write({ kind, key, businessId, why, requestId })
  }
}

const isWalletResponse = new Ajv({ validateSchema: false }).compile<WalletResponse>(walletResponse)

/** The fields of an order with which a response is compared, and those that the log shows. */
type OrderIdentity = Pick<StatusQuery, 'kind' | 'key' | 'amount' | 'fee' | 'businessId' | 'requestId'>

/** The outcomes that have their own HTTP status. All other outcomes use 200. */
const ownStatus: Partial<Record<WalletResponse['status'], number>> = { unknown: 404, expired: 410 }
const usualStatus = 200

/** Parses the provider's response. Returns the parsed response, or the reason why it cannot be trusted. */
function readResponse(
  { status, body }: Pick<ProviderResponse, 'status' | 'body'>,
  order: OrderIdentity,
): { response: WalletResponse } | { fault: string } {
  const response = parse(body)
  // A 404 from a proxy, or from a different server at the same address, proves nothing about an order.
  if (!isWalletResponse(response) || status !== (ownStatus[response.status] ?? usualStatus))
    return { fault: status === usualStatus ? 'malformed' : `status ${status}` }
  if (response.key !== order.key) return { fault: 'another key' }
  if (response.amount !== undefined && response.amount !== order.amount) return { fault: 'another amount' }
  if (response.fee !== undefined && response.fee !== order.fee) return { fault: 'another fee' }
  // As with the amount, null is not the currency of the order.
  if (response.currency !== undefined && response.currency !== currencyCode) return { fault: 'another currency' }
  // A wallet refuses an order only because of its PIN, and a refund has no PIN.
  if (response.status === 'refused' && order.kind === 'refund') return { fault: 'malformed' }
  return { response }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const refusals: readonly RefusalReason[] = ['wrong_pin', 'wallet_locked']

/**
 * Returns the outcome that a response reports. The status indicates whether money moved. If the response has no reason,
 * or one that this service does not know, the outcome has a default reason.
 */
function toOutcome({ status, reason }: WalletResponse): WalletOutcome {
  switch (status) {
    case 'succeeded':
      return { outcome: 'done' }
    case 'refused':
      return { outcome: 'refused', reason: refusals.find((each) => each === reason) ?? 'wrong_pin' }
    case 'declined':
      return { outcome: 'declined', reason: declineReasons.find((each) => each === reason) ?? 'declined' }
    case 'failed':
      return { outcome: 'failed', reason: failureReasons.find((each) => each === reason) ?? 'technical_error' }
    case 'unknown':
      return { outcome: 'unknown', why: 'not there' }
    case 'pending':
    case 'expired':
      return { outcome: 'unknown', why: status }
  }
}
