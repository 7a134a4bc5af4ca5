import { currencyCode } from '../../../schemas/currency.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { type Log, throttled } from '../../process/log.ts'
import type { Wallet, WalletOutcome } from '../wallet.ts'
import type { ProviderResponse } from './exchange.ts'
import { openProvider } from './provider.ts'
import { type OrderIdentity, readResponse, toOutcome } from './response.ts'

/** How far the provider's clock may be from ours. It may be ahead: so much later is the `validUntil` that it is told. */
const skewMs = 30_000

/**
 * An order that the provider does not know this long after the time that it was told will never be carried out: its clock may be
 * behind, and an order that reached it in time may take it 30 s to write down (docs/operators/wallet-provider.md).
 */
const lostForGoodMs = skewMs + 30_000

/**
 * And this long after it, that says nothing any more: the provider tells of an order for 30 days, and a day is taken off for the clocks
 * and for orders that were carried out before their time.
 */
const forgottenMs = 29 * 86_400_000

const places = { payment: '/payments', refund: '/refunds' } as const

/** What the provider may say of an order for it to count as never carried out; null: nothing. */
type Never = 'expired' | 'unknown' | null

/**
 * The wallet of live mode: a provider behind HTTP. Whatever it does, an outcome is told as known only where its own well-formed answer
 * says so, or where the order surely never left. All else is unknown, to be asked about.
 */
export function createLiveWallet(
  deps: Pick<Deps, 'config' | 'log' | 'now'>,
  at: NonNullable<Config['walletProvider']>,
): Wallet & { close(): Promise<void> } {
  const provider = openProvider(deps, at)
  const complain = createComplaint(deps.log)

  function unknown(asked: OrderIdentity, why: string): WalletOutcome {
    complain(asked, why)
    return { outcome: 'unknown', why }
  }

  /** What the provider's word is worth. */
  function outcomeIn(answered: ProviderResponse, asked: OrderIdentity, never: Never): WalletOutcome {
    const read = readResponse(answered, asked)
    if ('fault' in read) return unknown(asked, read.fault)
    // It was slow on its way, or a clock is wrong.
    if (read.answer.status === 'expired') complain(asked, 'expired')
    return read.answer.status === never ? { outcome: 'not-executed' } : toOutcome(read.answer)
  }

  async function carryOut(
    order: OrderIdentity & { businessId: string; validUntil: Date },
    rest: object,
  ): Promise<WalletOutcome> {
    const { kind, businessId, key, amount } = order
    if (deps.now() >= order.validUntil) return { outcome: 'not-executed' }
    const validUntil = toldUntil(order)
    const exchanged = await provider.post(businessId, places[kind], {
      key,
      amount,
      currency: currencyCode,
      ...rest,
      validUntil,
    })
    switch (exchanged.outcome) {
      case 'answered':
        return outcomeIn(exchanged, order, 'expired')
      case 'lost':
        return unknown(order, exchanged.why)
      case 'never-sent':
        complain(order, exchanged.why)
        return { outcome: 'not-executed' }
    }
  }

  return {
    name: `live:${at.name}`,

    authorise({ key, amount, validUntil, phone, pin, referenceNumber: reference, businessId }) {
      return carryOut(
        { kind: 'payment', businessId, key, amount, validUntil },
        { phone, pin, reference, businessId },
      )
    },

    refund({ businessId, key, amount, validUntil, paymentKey }) {
      return carryOut({ kind: 'refund', businessId, key, amount, validUntil }, { paymentKey })
    },

    async status(question) {
      const { kind, businessId, key } = question
      // As of before the question: its answer may be late, and an order that is on its way may overtake it.
      const sinceMs = deps.now().getTime() - toldUntil(question).getTime()
      const never = sinceMs > lostForGoodMs && sinceMs < forgottenMs ? 'unknown' : null
      const exchanged = await provider.get(businessId, `${places[kind]}/${encodeURIComponent(key)}`)
      if (exchanged.outcome !== 'answered') return unknown(question, exchanged.why)
      return outcomeIn(exchanged, question, never)
    },

    close: () => provider.close(),
  }
}

const toldUntil = ({ validUntil }: { validUntil: Date }): Date => new Date(validUntil.getTime() + skewMs)

/** A provider that fails, fails every customer: a line now and then is enough. */
const everyMs = 5000

/** Tells the log what is wrong with the provider. Each `why` by itself, so that one that comes by the thousand does not hide another. */
function createComplaint(log: Log): (asked: OrderIdentity, why: string) => void {
  const writers = new Map<string, (fields: object) => void>()
  return ({ kind, key }, why) => {
    const write = writers.get(why) ?? throttled(everyMs, (fields) => log.warn(fields, 'wallet.failing'))
    writers.set(why, write)
    write({ kind, key, why })
  }
}
