import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { currencyCode } from '../../schemas/currency.ts'
import type { WalletResponse } from '../../schemas/payment-reasons.ts'
import { readWalletResponse } from '../../src/wallets/live/live-wallet.ts'
import { type Changes, type Provider, type Reply, sendRequest } from './requests.ts'
import type { PaymentName, Scenario, ScenarioWallet } from './scenario.ts'

/** The provider breaks the obligation. */
export class Broken extends Error {
  readonly reply: Reply | null
  constructor(why: string, reply: Reply | null = null) {
    super(why)
    this.reply = reply
  }
}

export class NotTested extends Error {}

export interface Obligation {
  id: string
  title: string
  /** What the page says. */
  rule: string
  /** Not tested if the provider makes no refunds. */
  forRefunds?: boolean
  /** Returns a remark, throws `Broken` or `NotTested`. */
  run(run: Run): Promise<string | undefined | void>
}

export interface Hooks {
  restart: (() => Promise<void>) | null
  /** In centimes. Null if the kit can't see balances. */
  balanceOf: ((phone: string) => Promise<number>) | null
}

export interface Order {
  kind: 'payment' | 'refund'
  key: string
  amount: number
  fee: number
  businessId: string
  /** The customer's, even for a refund. */
  phone: string
  body: Record<string, unknown>
  /** Whether the provider has reported it as anything but unknown. */
  isKnown: boolean
  /** A process that dies may have to wait for a person's decision. */
  mayStayPending?: boolean
  final: Outcome | null
}

export type Outcome = Pick<WalletResponse, 'status'> & { reason: string | null; reply: Reply }
export type Run = ReturnType<typeof createRun>

const finals: readonly string[] = ['succeeded', 'declined', 'failed', 'refused']
const isFinal = ({ status }: Pick<Outcome, 'status'>): boolean => finals.includes(status)
export const shown = ({ status, reason }: Pick<Outcome, 'status' | 'reason'>): string =>
  reason === null ? status : `${status} (${reason})`
export const newKey = (): string => randomBytes(12).toString('hex')
const resourceOf = ({ kind }: Pick<Order, 'kind'>): string => (kind === 'payment' ? '/payments' : '/refunds')
export const queryPath = (order: Pick<Order, 'kind' | 'key'>): string =>
  `${resourceOf(order)}/${encodeURIComponent(order.key)}`

const businessId = newKey()
/** What the service adds to its timeout, so that a clock may differ. */
const validForMs = 35_000
const everyMs = 250

/** Sends orders as the service does, and notices each outcome that changes later. */
export function createRun(provider: Provider, scenario: Scenario, { restart, balanceOf }: Hooks) {
  const timeoutMs = scenario.timeoutSeconds * 1000
  const orders: Order[] = []
  const replies: Reply[] = []
  const firstBalances = new Map<string, Promise<number>>()

  function walletFor(name: PaymentName): ScenarioWallet {
    const found = scenario.payments[name]
    if (found === undefined) throw new NotTested(`the scenario names no wallet for \`${name}\``)
    return found
  }

  function add(
    order: Pick<Order, 'kind' | 'key' | 'amount' | 'fee' | 'phone'>,
    more: object,
    validUntil: Date,
  ): Order {
    const { key, amount, fee } = order
    const body = { key, amount, fee, currency: currencyCode, ...more, validUntil: validUntil.toISOString() }
    const added = { ...order, businessId, body, isKnown: false, final: null }
    orders.push(added)
    return added
  }

  const inTime = (): Date => new Date(Date.now() + timeoutMs + validForMs)

  function payment(
    name: PaymentName,
    changes: { key?: string; amount?: number; pin?: string; validUntil?: Date } = {},
  ): Order {
    const { phone, pin, amount = scenario.amount } = walletFor(name)
    const reference = `PI-${newKey().slice(0, 16).toUpperCase()}`
    const order = { kind: 'payment', key: newKey(), amount, fee: scenario.fee, phone } as const
    const { key = order.key, amount: other = amount, validUntil = inTime() } = changes
    const more = { phone, pin: changes.pin ?? pin, reference, businessId }
    return add({ ...order, key, amount: other }, more, validUntil)
  }

  function refund(
    of: Pick<Order, 'key' | 'phone' | 'amount' | 'fee'>,
    changes: { key?: string; amount?: number; fee?: number; validUntil?: Date } = {},
  ): Order {
    const { key = newKey(), amount = of.amount, fee = of.fee, validUntil = inTime() } = changes
    return add({ kind: 'refund', key, amount, fee, phone: of.phone }, { paymentKey: of.key }, validUntil)
  }

  async function send(
    order: Order,
    changes: Changes = {},
    body = JSON.stringify(order.body),
  ): Promise<Reply> {
    await noteBalance(order.phone)
    const headers = { 'Idempotency-Key': order.key }
    const request = { method: 'POST', path: resourceOf(order), body, headers } as const
    return kept(await sendRequest(provider, request, changes, timeoutMs))
  }

  const query = async (order: Pick<Order, 'kind' | 'key'>, changes: Changes = {}): Promise<Reply> =>
    kept(await sendRequest(provider, { method: 'GET', path: queryPath(order) }, changes, timeoutMs))

  function kept(reply: Reply): Reply {
    replies.push(reply)
    return reply
  }

  /** Like the service, which takes any other response as an unknown outcome. */
  function read(order: Order, reply: Reply): Outcome {
    if (reply.fault !== null) throw new Broken(`No usable response: ${reply.fault}`, reply)
    const { status, body } = reply
    const result = readWalletResponse({ status: status ?? 0, body }, order)
    if ('fault' in result) throw new Broken(`The service can't use the response: ${result.fault}`, reply)
    const { response } = result
    const wrong = reply.sent.startsWith('GET') ? 'expired' : 'unknown'
    if (response.status === wrong) throw new Broken(`\`${wrong}\` is not a response to this request`, reply)
    const reason = typeof response.reason === 'string' ? response.reason : null
    return { status: response.status, reason, reply }
  }

  function note(order: Order, outcome: Outcome): Outcome {
    const { status, reply } = outcome
    const [before, now] = [order.final, shown(outcome)]
    if (before !== null && shown(before) !== now)
      throw new Broken(`\`${shown(before)}\` was final, and became \`${now}\``, reply)
    if (order.isKnown && (status === 'unknown' || status === 'expired'))
      throw new Broken(`The request was known before, and is \`${now}\` now`, reply)
    if (isFinal(outcome)) order.final = outcome
    if (status !== 'unknown' && status !== 'expired') order.isKnown = true
    return outcome
  }

  const submit = async (order: Order): Promise<Outcome> => note(order, read(order, await send(order)))
  const look = async (order: Order): Promise<Outcome> => note(order, read(order, await query(order)))

  async function settled(order: Order): Promise<Outcome> {
    const endsAt = Date.now() + scenario.settleSeconds * 1000
    for (;;) {
      const outcome = await look(order)
      if (isFinal(outcome)) return outcome
      if (Date.now() > endsAt && order.mayStayPending === true) return outcome
      if (Date.now() > endsAt)
        throw new Broken(`Still ${outcome.status} after ${scenario.settleSeconds} s`, outcome.reply)
      await pause(everyMs)
    }
  }

  /** Sends the order, and waits for its final outcome. */
  async function finish(order: Order, wanted: string): Promise<Outcome> {
    const first = await submit(order)
    const outcome = isFinal(first) || first.status === 'expired' ? first : await settled(order)
    if (![outcome.status, shown(outcome)].includes(wanted))
      throw new Broken(`\`${shown(outcome)}\` instead of \`${wanted}\``, outcome.reply)
    return outcome
  }

  async function paid(): Promise<Order> {
    const order = payment('succeeded')
    await finish(order, 'succeeded')
    return order
  }

  let wrongPinOrder: Order | null = null
  /** The same one each time, because wrong PINs are limited. */
  async function wrongPin(): Promise<Order> {
    wrongPinOrder ??= payment('wrong_pin')
    if (wrongPinOrder.final === null) await finish(wrongPinOrder, 'refused (wrong_pin)')
    return wrongPinOrder
  }

  async function expectUnknown(order: Order): Promise<void> {
    const { status, reply } = await look(order)
    if (status !== 'unknown')
      throw new Broken(`A request that must not be carried out is \`${status}\``, reply)
  }

  /** A 4xx, or an outcome that transfers nothing. */
  async function expectRefused(order: Order): Promise<void> {
    const reply = await send(order)
    const isError = reply.status !== null && reply.status >= 400 && reply.status < 500
    if (!isError) note(order, read(order, reply))
    const outcome = order.final ?? (order.isKnown ? await settled(order) : await look(order))
    if (outcome.status === 'succeeded') throw new Broken('It was carried out', outcome.reply)
  }

  /** The balance of each wallet when an obligation first uses it. */
  let notedBalances = new Map<string, Promise<number>>()
  async function noteBalance(phone: string): Promise<void> {
    if (balanceOf === null) return
    const noted = notedBalances.get(phone) ?? balanceOf(phone)
    notedBalances.set(phone, noted)
    firstBalances.set(phone, firstBalances.get(phone) ?? noted)
    await noted
  }

  async function expectBalances(noted: Map<string, Promise<number>>, used: readonly Order[]): Promise<void> {
    if (balanceOf === null) return
    for (const order of used) if (order.final === null) await (order.isKnown ? settled(order) : look(order))
    for (const [phone, balance] of noted) {
      const possible = possibleChanges(used.filter((order) => order.phone === phone))
      const change = (await balanceOf(phone)) - (await balance)
      if (!possible.includes(change))
        throw new Broken(
          `The wallet ${phone} changed by ${change} centimes instead of ${possible.join(' or ')}`,
        )
    }
  }

  return {
    scenario,
    orders,
    replies,
    restart,
    walletFor,
    payment,
    refund,
    send,
    query,
    read,
    note,
    submit,
    look,
    settled,
    finish,
    paid,
    wrongPin,
    expectUnknown,
    expectRefused,
    hasWallet: (name: PaymentName): boolean => name in scenario.payments,
    async withBalances<T>(act: () => Promise<T>): Promise<T> {
      const begun = orders.length
      notedBalances = new Map()
      const result = await act()
      await expectBalances(notedBalances, orders.slice(begun))
      return result
    },
    /** All orders of this run, whose outcomes must still be the same. */
    async expectAllSame(): Promise<void> {
      for (const order of orders) if (order.isKnown) await look(order)
      await expectBalances(firstBalances, orders)
    },
  }
}

/** A request that is still pending may or may not have moved money. */
function possibleChanges(orders: readonly Order[]): number[] {
  let sums = [0]
  for (const { kind, amount, fee, final, isKnown } of orders) {
    const effect = (kind === 'payment' ? -1 : 1) * (amount + fee)
    if (final?.status === 'succeeded') sums = sums.map((sum) => sum + effect)
    else if (final === null && isKnown) sums = [...new Set(sums.flatMap((sum) => [sum, sum + effect]))]
  }
  return sums
}
