import type { Deps } from '../../deps.ts'
import { throttled } from '../../log.ts'
import type { Wallet, WalletOutcome } from '../wallet.ts'
import { type Asked, outcomeOfAnswer, readAnswer } from './answer.ts'
import type { Answered } from './exchange.ts'
import { openProvider } from './provider.ts'

/**
 * An order that the provider does not know this long after its time will never be carried out: its clock may be 30 s behind ours,
 * and an order that reached it in time may take it 30 s to write down (docs/wallet-provider.md).
 */
const lostForGoodMs = 60_000

/** A provider that fails, fails every customer: a line now and then is enough. */
const complainEveryMs = 5_000

const currency = 'MRU'
const places = { payment: '/payments', refund: '/refunds' } as const

/**
 * The wallet of live mode: a provider behind HTTP, at `url`; `key` signs what is sent there. Whatever the provider does, an outcome is
 * told as known only where its own well-formed answer says so, or where the order surely never left. All else is unknown, to be asked about.
 */
export function createLiveWallet(
  deps: Pick<Deps, 'config' | 'log' | 'now'>,
  at: { url: string; key: string },
): Wallet & { close(): Promise<void> } {
  const provider = openProvider(deps, at)
  const write = throttled(complainEveryMs, (fields) => deps.log.warn(fields, 'wallet.failing'))
  const complain = ({ kind, key }: Asked, why: string): void => write({ kind, key, why })

  function unknown(asked: Asked, why: string): WalletOutcome {
    complain(asked, why)
    return { outcome: 'unknown', why }
  }

  /** What the provider's word is worth. An order that it does not know counts as never carried out only if `isLostForGood`. */
  function outcomeIn(answered: Answered, asked: Asked, isLostForGood: boolean): WalletOutcome {
    const read = readAnswer(answered, asked)
    if ('fault' in read) return unknown(asked, read.fault)
    if (read.answer.status === 'unknown' && isLostForGood) return { outcome: 'not-executed' }
    return outcomeOfAnswer(read.answer)
  }

  async function carryOut(order: Asked & { validUntil: Date }, rest: object): Promise<WalletOutcome> {
    const { kind, key, amount, validUntil } = order
    if (deps.now() >= validUntil) return { outcome: 'not-executed' }
    const exchanged = await provider.post(places[kind], { key, amount, currency, ...rest, validUntil })
    switch (exchanged.outcome) {
      case 'answered':
        return outcomeIn(exchanged, order, false)
      case 'lost':
        return unknown(order, exchanged.why)
      case 'never-sent':
        complain(order, exchanged.why)
        return { outcome: 'not-executed' }
    }
  }

  return {
    name: 'live',

    authorise({ key, amount, validUntil, phone, pin, referenceNumber: reference, businessId }) {
      return carryOut({ kind: 'payment', key, amount, validUntil }, { phone, pin, reference, businessId })
    },

    refund({ key, amount, validUntil, paymentKey }) {
      return carryOut({ kind: 'refund', key, amount, validUntil }, { paymentKey })
    },

    async status(question) {
      const { kind, key, validUntil } = question
      // As of before the question: its answer may be late, and an order that is on its way may overtake it.
      const isLostForGood = deps.now().getTime() > validUntil.getTime() + lostForGoodMs
      const exchanged = await provider.get(`${places[kind]}/${encodeURIComponent(key)}`)
      if (exchanged.outcome !== 'answered') return unknown(question, exchanged.why)
      return outcomeIn(exchanged, question, isLostForGood)
    },

    close: () => provider.close(),
  }
}
