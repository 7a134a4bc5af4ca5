import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { currencyCode } from '../../schemas/currency.ts'
import type { WalletResponse } from '../../schemas/payment-reasons.ts'
import { readWalletResponse } from '../../src/wallets/live/live-wallet.ts'
import { Broken, NotTested, rules } from './broken.ts'
import { type BalanceOf, createMoney, type Transfer } from './money.ts'
import { type Changes, type Provider, type Reply, sendRequest } from './requests.ts'
import type { PaymentName, Scenario, ScenarioWallet } from './scenario.ts'

export interface Obligation {
  id: string
  title: string
  /** What the page says, unless `Broken` has another rule. */
  rule: string
  /** Not tested if the provider makes no refunds. */
  forRefunds?: boolean
  /** Returns a remark, throws `Broken` or `NotTested`. */
  run(run: Run): Promise<string | undefined | void>
}

export interface Hooks {
  restart: (() => Promise<void>) | null
  balanceOf: BalanceOf
}

export interface Order extends Transfer {
  key: string
  businessId: string
  body: Record<string, unknown>
  /** A process that dies may have to wait for a person's decision. */
  mayStayPending?: boolean
  /** Pending for longer than `settleSeconds`, so that nothing waits for it again. */
  isOverdue?: boolean
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
  const money = createMoney(balanceOf, scenario.payments.unknown_wallet?.phone)

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
    const added = { ...order, businessId, body, isKnown: false, posted: null, final: null }
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
    await money.note(order.phone)
    const headers = { 'Idempotency-Key': order.key }
    const request = { method: 'POST', path: resourceOf(order), body, headers } as const
    order.posted = kept(await sendRequest(provider, request, changes, timeoutMs))
    return order.posted
  }

  const query = async (order: Pick<Order, 'kind' | 'key'>, changes: Changes = {}): Promise<Reply> =>
    kept(await sendRequest(provider, { method: 'GET', path: queryPath(order) }, changes, timeoutMs))

  function kept(reply: Reply): Reply {
    replies.push(reply)
    return reply
  }

  /** Like the service, which takes any other response as an unknown outcome. */
  function read(order: Order, reply: Reply): Outcome {
    if (reply.fault !== null) throw new Broken(`No usable response: ${reply.fault}`, reply, rules.usable)
    const { status, body } = reply
    const result = readWalletResponse({ status: status ?? 0, body }, order)
    if ('fault' in result) {
      const isMalformed = result.fault === 'malformed' || (status ?? 0) >= 500
      const why = `The service can't use the response: ${result.fault}`
      throw new Broken(why, reply, isMalformed ? rules.usable : null)
    }
    const { response } = result
    const [wrong, rule] = reply.sent.startsWith('GET')
      ? ['expired', rules.late410]
      : ['unknown', rules.unknown]
    if (response.status === wrong)
      throw new Broken(`\`${wrong}\` is not a response to this request`, reply, rule)
    const reason = typeof response.reason === 'string' ? response.reason : null
    return { status: response.status, reason, reply }
  }

  function note(order: Order, outcome: Outcome): Outcome {
    const { status, reply } = outcome
    const [before, now] = [order.final, shown(outcome)]
    const wasKnown = order.isKnown
    const isKnown = status !== 'unknown' && status !== 'expired'
    // What is reported now isn't reported again at the end.
    order.final = isFinal(outcome) ? outcome : null
    order.isKnown = isKnown
    if (wasKnown && !isKnown)
      throw new Broken(`The request was known before, and is \`${now}\` now`, reply, rules.remember)
    if (before !== null && shown(before) !== now)
      throw new Broken(`\`${shown(before)}\` was final, and became \`${now}\``, reply, rules.final)
    return outcome
  }

  const submit = async (order: Order): Promise<Outcome> => note(order, read(order, await send(order)))
  const look = async (order: Order): Promise<Outcome> => note(order, read(order, await query(order)))

  async function settled(order: Order): Promise<Outcome> {
    const endsAt = Date.now() + scenario.settleSeconds * 1000
    for (;;) {
      const outcome = await look(order)
      if (isFinal(outcome)) return outcome
      order.isOverdue ||= Date.now() > endsAt
      if (order.isOverdue && order.mayStayPending === true) return outcome
      const why = `Still ${outcome.status} after ${scenario.settleSeconds} s`
      if (order.isOverdue) throw new Broken(why, outcome.reply, rules.settle)
      await pause(everyMs)
    }
  }

  /** Sends the order, and waits for its final outcome. */
  async function finish(order: Order, ...wanted: string[]): Promise<Outcome> {
    const first = await submit(order)
    const outcome = isFinal(first) || first.status === 'expired' ? first : await settled(order)
    if (wanted.some((one) => [outcome.status, shown(outcome)].includes(one))) return outcome
    const rule = wanted[0] === 'succeeded' ? rules[order.kind] : null
    throw new Broken(`\`${shown(outcome)}\` instead of \`${wanted.join('` or `')}\``, outcome.reply, rule)
  }

  async function paid(): Promise<Order> {
    const order = payment('succeeded')
    await finish(order, 'succeeded')
    return order
  }

  let wrongPinOrder: Order | null = null
  /** The same one each time, because wrong PINs are limited. */
  async function wrongPin(): Promise<Order> {
    if (wrongPinOrder?.final?.status === 'refused') return wrongPinOrder
    wrongPinOrder = payment('wrong_pin')
    await finish(wrongPinOrder, 'refused (wrong_pin)')
    return wrongPinOrder
  }

  async function expectUnknown(order: Order): Promise<void> {
    const { status, reply } = await look(order)
    if (status !== 'unknown')
      throw new Broken(`A request that must not be carried out is \`${status}\``, reply)
  }

  /** A broken obligation may leave a request open, whose money would move later. */
  async function settleIfKnown(order: Order): Promise<void> {
    if (order.final === null) await look(order)
    if (order.final === null && order.isKnown) await settled(order)
  }

  /** Wallets whose money was wrong in a broken obligation. */
  const doubted = new Set<string>()
  let hasBroken = false

  async function withBalances<T>(act: () => Promise<T>): Promise<T> {
    const begun = orders.length
    const open = orders.filter(({ isKnown, final }) => isKnown && final === null)
    const noted = money.open()
    const compare = () => money.compare(noted, [...open, ...orders.slice(begun)])
    try {
      const result = await act()
      for (const order of orders.slice(begun)) await settleIfKnown(order)
      for (const fault of (await compare()).values()) throw fault
      return result
    } catch (error) {
      for (const order of orders.slice(begun)) await settleIfKnown(order).catch(() => null)
      const faults = error instanceof Broken ? await compare().catch(() => null) : null
      for (const phone of faults?.keys() ?? []) doubted.add(phone)
      hasBroken ||= error instanceof Broken
      throw error
    } finally {
      money.close(noted)
    }
  }

  /** All orders of this run, whose outcomes must still be the same. */
  async function expectAllSame(): Promise<string | undefined> {
    const { fault } = await query({ kind: 'payment', key: newKey() })
    if (fault !== null) throw new NotTested(`the provider does not respond: ${fault}`)
    for (const order of orders.filter(({ isKnown }) => isKnown)) {
      const outcome = readOrNull(order, await query(order))
      if (outcome !== null) note(order, outcome)
    }
    for (const [phone, wrong] of await money.compare(money.first, orders))
      if (!doubted.has(phone)) throw wrong
    return doubted.size === 0
      ? undefined
      : `without the money of ${[...doubted].join(', ')}, which was wrong before`
  }

  /** Null for a response that another obligation may have reported. */
  function readOrNull(order: Order, reply: Reply): Outcome | null {
    try {
      return read(order, reply)
    } catch (error) {
      if (hasBroken) return null
      throw error
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
    noteBalance: money.note,
    readBalance: money.read,
    hasWallet: (name: PaymentName): boolean => name in scenario.payments,
    withBalances,
    expectAllSame,
  }
}
