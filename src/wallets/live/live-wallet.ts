import { Ajv } from 'ajv'
import { currencyCode } from '../../../schemas/currency.ts'
import {
  declineReasons,
  failureReasons,
  type WalletResponse,
  walletResponseSchema,
} from '../../../schemas/payment-reasons.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Log, throttleLog } from '../../platform/log.ts'
import { orNull } from '../../platform/or-null.ts'
import type { OrderStatusQuery, PinRefusalReason, Wallet, WalletOutcome } from '../wallet.ts'
import { openWalletProvider, type ProviderResponse } from './provider.ts'

/** The provider's clock may be this far ahead, so we add it to `validUntil`. */
const maxClockSkewMs = 30_000

/**
 * The provider's clock may be 30 s behind, and storing an order may take 30 s
 * (docs/operators/wallet-provider.md). An order unknown after that is lost.
 */
const lostAfterMs = maxClockSkewMs + 30_000

/** Providers keep orders for 30 days. One day is a margin for clock skew. */
const forgottenAfterMs = 29 * 86_400_000

const resources = { payment: '/payments', refund: '/refunds' } as const

/** Any response that isn't well formed leaves the outcome unknown. */
export function createLiveWallet(
  deps: Pick<Deps, 'config' | 'log' | 'now'>,
  at: NonNullable<Config['walletProvider']>,
): Wallet & { close(): Promise<void> } {
  const provider = openWalletProvider(deps, at)
  const logFault = createFaultLog(deps.log)

  function unknown(order: OrderIdentity, why: string): WalletOutcome {
    logFault(order, why)
    return { outcome: 'unknown', why }
  }

  function outcomeOf(
    httpResponse: ProviderResponse,
    order: OrderIdentity,
    notExecuted: 'expired' | 'unknown' | null,
  ): WalletOutcome {
    const read = readWalletResponse(httpResponse, order)
    if ('fault' in read) return unknown(order, read.fault)
    const { response } = read
    // The order took too long to reach the provider, or a clock is wrong.
    if (response.status === 'expired') logFault(order, 'expired')
    return response.status === notExecuted ? { outcome: 'not-executed' } : toWalletOutcome(response)
  }

  async function carryOut(order: OrderStatusQuery, extra: object): Promise<WalletOutcome> {
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
    refunds: at.refunds,

    authorise({ phone, pin, referenceNumber: reference, ...order }) {
      const { businessId } = order
      return carryOut({ kind: 'payment', ...order }, { phone, pin, reference, businessId })
    },

    refund: ({ paymentKey, ...order }) => carryOut({ kind: 'refund', ...order }, { paymentKey }),

    async status(query) {
      const { kind, businessId, key } = query
      // An order may still arrive during the query, so read the time first.
      const sinceMs = deps.now().getTime() - providerDeadline(query).getTime()
      const notExecuted = sinceMs > lostAfterMs && sinceMs < forgottenAfterMs ? 'unknown' : null
      const result = await provider.get(businessId, `${resources[kind]}/${encodeURIComponent(key)}`)
      if (result.outcome !== 'responded') return unknown(query, result.why)
      return outcomeOf(result, query, notExecuted)
    },

    close: () => provider.close(),
  }
}

const providerDeadline = ({ validUntil }: { validUntil: Date }): Date =>
  new Date(validUntil.getTime() + maxClockSkewMs)

/** A provider that fails for one customer usually fails for all of them. */
const logEveryMs = 5000

function createFaultLog(log: Log): (order: OrderIdentity, why: string) => void {
  const writers = new Map<string, (fields: object) => void>()
  return ({ kind, key, businessId, requestId = null }, why) => {
    const write = writers.get(why) ?? throttleLog(logEveryMs, (fields) => log.warn(fields, 'wallet.failing'))
    writers.set(why, write)
    write({ kind, key, businessId, why, requestId })
  }
}

const isWalletResponse = new Ajv({ validateSchema: false }).compile<WalletResponse>(walletResponseSchema)

type OrderIdentity = Pick<OrderStatusQuery, 'kind' | 'key' | 'amount' | 'fee' | 'businessId' | 'requestId'>

const ownStatus: Partial<Record<WalletResponse['status'], number>> = { unknown: 404, expired: 410 }
const usualStatus = 200

export function readWalletResponse(
  { status, body }: Pick<ProviderResponse, 'status' | 'body'>,
  order: OrderIdentity,
): { response: WalletResponse } | { fault: string } {
  const response = parse(body)
  // A 404 from a proxy or another server proves nothing about an order.
  if (!isWalletResponse(response) || status !== (ownStatus[response.status] ?? usualStatus))
    return { fault: status === usualStatus ? 'malformed' : `status ${status}` }
  if (response.key !== order.key) return { fault: 'another key' }
  if (response.amount !== undefined && response.amount !== order.amount) return { fault: 'another amount' }
  if (response.fee !== undefined && response.fee !== order.fee) return { fault: 'another fee' }
  if (response.currency !== undefined && response.currency !== currencyCode)
    return { fault: 'another currency' }
  // Refusals are always about the PIN, and refunds need none.
  if (response.status === 'refused' && order.kind === 'refund') return { fault: 'malformed' }
  return { response }
}

const parse = (body: string): unknown => orNull(() => JSON.parse(body))

const defaultFailure = 'technical_error'
const refusals: readonly PinRefusalReason[] = ['wrong_pin', 'wallet_locked']

export function toWalletOutcome({ status, reason }: WalletResponse): WalletOutcome {
  switch (status) {
    case 'succeeded':
      return { outcome: 'done' }
    case 'refused':
      return { outcome: 'refused', reason: refusals.find((each) => each === reason) ?? 'wrong_pin' }
    case 'declined':
      return { outcome: 'declined', reason: declineReasons.find((each) => each === reason) ?? 'declined' }
    case 'failed':
      return { outcome: 'failed', reason: failureReasons.find((each) => each === reason) ?? defaultFailure }
    case 'unknown':
      return { outcome: 'unknown', why: 'not there' }
    case 'pending':
    case 'expired':
      return { outcome: 'unknown', why: status }
  }
}
