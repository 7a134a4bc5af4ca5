import { currencyCode } from '../../../schemas/currency.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { type Log, throttled } from '../../process/log.ts'
import type { Wallet, WalletOutcome } from '../wallet.ts'
import type { ProviderResponse } from './exchange.ts'
import { openProvider } from './provider.ts'
import { type OrderIdentity, readResponse, toOutcome } from './response.ts'

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
    const result = await provider.post(businessId, resources[kind], {
      key,
      amount,
      fee,
      currency: currencyCode,
      ...extra,
      validUntil,
    })
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
