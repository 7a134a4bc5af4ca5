import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scenario } from '../../../ops/provider-check/scenario.ts'
import { listen } from '../../support/listen.ts'

/** Each makes the provider break the obligation that follows in `faults`. */
export const faults = {
  'queries are not signed': 'signature-key',
  'pays before it checks the signature': 'signature-key',
  'accepts old timestamps': 'signature-time',
  'compares half of the signature': 'signature-value',
  'signs the parsed JSON': 'signature-accepted',
  'pays concurrent copies': 'payment-concurrent',
  'repeats refunds': 'refund-repeated',
  'pays another body': 'payment-other-body',
  'pays another business': 'payment-other-body',
  'forgets refusals': 'refused-repeated',
  'knows one key for both': 'payment-and-refund',
  'shortens keys': 'keys',
  'ignores the case of keys': 'keys',
  'unknown with status 200': 'unknown-key',
  'stores after the response': 'response-lost',
  'ignores validUntil': 'payment-expired',
  'expires copies': 'payment-copy-expired',
  'is two minutes behind': 'clock',
  'takes money of declined payments': 'insufficient-funds',
  'names its own reasons': 'limit-exceeded',
  'tells unknown wallets': 'wrong-pin',
  'checks any number of PINs': 'pin-limit',
  'succeeds before it fails': 'pending-then-failed',
  'returns 500 for copies of pending payments': 'pending-then-succeeded',
  'pays slow copies': 'slow',
  'pays what it stored after 30 s': 'slow',
  'keeps the fee of refunds': 'refund-whole',
  'refunds too much': 'refund-too-much',
  'returns 400 for impossible refunds': 'refund-parts',
  'refunds concurrently': 'refund-concurrent',
  'refuses refunds': 'refund-unknown-payment',
  'forgets at a restart': 'restart',
  'sends large responses': 'responses',
} as const
export type Fault = keyof typeof faults

/** Each keeps all obligations, in a way of its own in the obligation that follows. */
export const variants = {
  'repeats the outcome for another body': 'payment-other-body',
  'declines impossible refunds': 'refund-too-much',
  'drops what it stored after 30 s': 'slow',
} as const
type Variant = keyof typeof variants

interface Order {
  key: string
  amount: number
  fee: number
  phone?: string
  pin?: string
  paymentKey?: string
  validUntil: string
  businessId?: string
}
type Result = { status: string; reason?: string }
type Stored = { order: Order; result: Result; refunded: { amount: number; fee: number } }

const key = 'the-key-of-the-reference-32-characters'
const base = '/wallet/v1'
const pin = '1357'
const phoneOf = (index: number): string => String(22_000_000 + index)
const named = `
  succeeded insufficient_funds limit_exceeded declined technical_error wallet_closed
  wallet_locked lockable pending_then_succeeded pending_then_failed slow
`
  .trim()
  .split(/\s+/)
const declines = ['insufficient_funds', 'limit_exceeded', 'declined']
const slowMs = 6_000
const lateMs = 32_000
const pendingMs = 1_000

const wallets = Object.fromEntries(named.map((name, index) => [name, { phone: phoneOf(index), pin }]))
export const scenario: Scenario = {
  amount: 1_000,
  fee: 10,
  timeoutSeconds: 5,
  settleSeconds: 60,
  refunds: true,
  payments: {
    ...(wallets as Scenario['payments']),
    wrong_pin: { phone: phoneOf(0), pin: '9999' },
    unknown_wallet: { phone: '29999999', pin },
  },
}

/** Keeps every obligation of docs/operators/wallet-provider.md, but for one fault. */
export async function startReference(fault: Fault | Variant | null) {
  const has = (one: Fault | Variant): boolean => one === fault
  let isUp = true
  const names = new Map(named.map((name, index) => [phoneOf(index), name]))
  const balances = new Map([...names.keys()].map((phone) => [phone, 1_000_000]))
  balances.set(phoneOf(named.indexOf('insufficient_funds')), scenario.amount + 5)
  const wrongPins = new Map<string, number>()
  let stored = new Map<string, Stored>()
  const now = (): number => Date.now() - (has('is two minutes behind') ? 120_000 : 0)

  const change = (phone: string, by: number): unknown => balances.set(phone, (balances.get(phone) ?? 0) + by)
  function nameOf(kind: string, given: string): string {
    const short = has('shortens keys') ? given.slice(0, 60) : given
    const name = has('ignores the case of keys') ? short.toLowerCase() : short
    return has('knows one key for both') ? name : `${kind} ${name}`
  }

  function pay({ phone = '', pin: given, amount, fee }: Order): Result {
    const name = names.get(phone)
    if (name === undefined)
      return { status: 'refused', reason: has('tells unknown wallets') ? 'no_wallet' : 'wrong_pin' }
    const wrong = wrongPins.get(phone) ?? 0
    if (name === 'wallet_locked' || (wrong >= 3 && !has('checks any number of PINs')))
      return { status: 'refused', reason: 'wallet_locked' }
    wrongPins.set(phone, given === pin ? 0 : wrong + 1)
    if (given !== pin) return { status: 'refused', reason: 'wrong_pin' }
    const reason = has('names its own reasons') ? 'no' : name
    if (declines.includes(name)) {
      if (has('takes money of declined payments')) change(phone, -amount)
      return { status: 'declined', reason }
    }
    if (['technical_error', 'wallet_closed'].includes(name)) return { status: 'failed', reason }
    if (name === 'pending_then_failed') return { status: 'failed', reason: 'technical_error' }
    change(phone, -(amount + fee))
    return { status: 'succeeded' }
  }

  async function refund({ paymentKey = '', amount, fee }: Order): Promise<Result> {
    const paid = stored.get(nameOf('payments', paymentKey))
    const status = has('declines impossible refunds') ? 'declined' : 'failed'
    const failed = { status: has('refuses refunds') ? 'refused' : status, reason: 'technical_error' }
    if (paid?.result.status !== 'succeeded') return failed
    const { order, refunded } = paid
    const isTooMuch = refunded.amount + amount > order.amount || refunded.fee + fee > order.fee
    if (isTooMuch && !has('refunds too much')) return failed
    if (has('refunds concurrently')) await pause(20)
    refunded.amount += amount
    refunded.fee += fee
    change(order.phone ?? '', amount + (has('keeps the fee of refunds') ? 0 : fee))
    return { status: 'succeeded' }
  }

  async function carryOut(kind: string, order: Order, one: Stored): Promise<void> {
    const name = names.get(order.phone ?? '') ?? ''
    if (kind === 'payments' && name === 'slow') await pause(slowMs)
    if (has('pays concurrent copies') || has('stores after the response')) await pause(50)
    const settle = (): void => void (one.result = pay(order))
    if (kind === 'refunds') return void (one.result = await refund(order))
    if (!name.startsWith('pending')) return settle()
    if (has('succeeds before it fails'))
      setTimeout(() => (one.result = { status: 'succeeded' }), pendingMs / 2)
    setTimeout(settle, pendingMs)
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = req
    const body = await text(req)
    const respond = (status: number, given: object): void => {
      const more = has('sends large responses') ? { more: 'x'.repeat(17_000) } : {}
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...given, ...more }))
    }
    const [, kind = '', inPath] = path.slice(base.length).split('/')
    const order: Order | null = method === 'POST' ? JSON.parse(body) : null
    const isSigned = isRight(headers as Record<string, string>, [method, path, body])
    if (!isSigned && !has('pays before it checks the signature')) return respond(401, {})
    const given = order?.key ?? decodeURIComponent(inPath ?? '')
    const name = nameOf(kind, given)
    const say = ({ order: { amount, fee }, result }: Stored): void => {
      if (kind === 'refunds' && result.status === 'failed' && has('returns 400 for impossible refunds'))
        return respond(400, {})
      respond(isSigned ? 200 : 401, { key: given, ...result, amount, fee })
    }
    let one = stored.get(name)
    if (order === null) {
      if (one !== undefined) return say(one)
      return respond(has('unknown with status 200') ? 200 : 404, { key: given, status: 'unknown' })
    }
    const isLate = now() > Date.parse(order.validUntil) && !has('ignores validUntil')
    if (isLate && (one === undefined || has('expires copies')))
      return respond(410, { key: given, status: 'expired' })
    if (one !== undefined) {
      const isSame = has('repeats the outcome for another body')
      const isOtherBusiness = order.businessId !== one.order.businessId && has('pays another business')
      const isOther =
        !isSame &&
        JSON.stringify(one.order, Object.keys(one.order).toSorted()) !==
          JSON.stringify(order, Object.keys(order).toSorted())
      const isRefusal = one.result.status === 'refused' && has('forgets refusals')
      if (isOther && !has('pays another body') && !isOtherBusiness && !isRefusal) return respond(409, {})
      const isOpen = one.result.status === 'pending'
      const repeats = has('repeats refunds') && kind === 'refunds'
      const races = isOpen && (has('pays concurrent copies') || has('pays slow copies'))
      const fails = isOpen && has('returns 500 for copies of pending payments')
      if (!repeats && !races && !isOther && !isRefusal) return fails ? respond(500, {}) : say(one)
    }
    const isSlow = names.get(order.phone ?? '') === 'slow'
    if (isSlow && (has('pays what it stored after 30 s') || has('drops what it stored after 30 s'))) {
      await pause(lateMs)
      if (!has('pays what it stored after 30 s')) return
    }
    one = { order, result: { status: 'pending' }, refunded: { amount: 0, fee: 0 } }
    if (!has('stores after the response')) stored.set(name, one)
    await carryOut(kind, order, one)
    if (!has('stores after the response') || !res.closed) stored.set(name, one)
    say(one)
  }

  function isRight(headers: Record<string, string>, [method, path, body]: [string, string, string]): boolean {
    if (method === 'GET' && has('queries are not signed')) return true
    const timestamp = headers['x-wallet-timestamp'] ?? ''
    const signedBody = has('signs the parsed JSON') && body !== '' ? JSON.stringify(JSON.parse(body)) : body
    const signed = [timestamp, method, path, signedBody].join('\n')
    const right = `sha256=${createHmac('sha256', key).update(signed).digest('hex')}`
    const length = has('compares half of the signature') ? 39 : right.length
    const isOld = Math.abs(Number(timestamp) * 1000 - now()) > 300_000
    return (
      headers['x-wallet-signature']?.slice(0, length) === right.slice(0, length) &&
      (!isOld || has('accepts old timestamps'))
    )
  }

  const start = async (port = 0) =>
    listen(
      createServer((req, res) => void handle(req, res)),
      port,
    )
  let server = await start()
  const { port, origin } = server
  return {
    url: `${origin}${base}`,
    key,
    /** Fails as a request to the provider would. */
    async balanceOf(phone: string): Promise<number> {
      const balance = balances.get(phone)
      if (balance === undefined || !isUp) throw new Error(isUp ? 'No such wallet\nat all' : 'ECONNREFUSED')
      return balance
    },
    async restart(): Promise<void> {
      isUp = false
      await server.close()
      if (has('forgets at a restart')) stored = new Map()
      server = await start(port)
      isUp = true
    },
    close: () => server.close(),
  }
}
