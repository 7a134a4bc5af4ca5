import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Chance } from '../../support/chance.ts'
import type { ProviderRequest } from '../evidence/evidence.ts'
import type { Recording } from '../evidence/record.ts'
import { linger } from './behaviours.ts'
import { type Kind, type Order, openBooks, type Wallet } from './books.ts'

export const providerPath = '/wallet/v1'
export const providerKey = 'the-key-of-the-runs-of-faults-32-or-more'
/**
 * How the provider answers from here on: always as it should, or never, or not in time. What it was asked for is done
 * all the same.
 */
export type ProviderBehaviour = 'ok' | 'error' | 'reset' | 'hang'
export const providerBehaviours: readonly ProviderBehaviour[] = ['ok', 'error', 'reset', 'hang']
/**
 * What becomes of an answer while it was told nothing: of 100 some are lost, late or an error of what stands before it.
 */
const usual = { ok: 90, error: 3, reset: 4, hang: 3 }
/** Longer than the service waits for it in a run of faults. */
const lateMs = 2500

/** A wallet provider as docs/operators/wallet-provider.md wants it, written apart from the service. */
export function openProvider(chance: Chance, record: Recording, clockAheadMs: () => number) {
  const wallets = new Map<string, Wallet>()
  const books = openBooks(wallets)
  let behaviour: ProviderBehaviour | null = null

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [at, ahead] = [Date.now(), clockAheadMs()]
    const { method = '', url = '' } = req
    const body = await text(req)
    const [, noun, keyOfPath = ''] = url.slice(providerPath.length).split('/')
    const kind: Kind = noun === 'payments' ? 'payment' : 'refund'
    const order = method === 'POST' ? (JSON.parse(body) as Order) : null
    const key = order?.key ?? decodeURIComponent(keyOfPath)
    const known = books.find(kind, key)
    const isSigned = req.headers['x-wallet-signature'] === signatureOf(req, body)
    const decision = order === null || !isSigned ? known : books.decide(kind, order, at + ahead)
    const status = decision?.status ?? (order === null ? 'unknown' : 'expired')
    const {
      amount = null,
      businessId = null,
      reference = null,
      paymentKey = null,
      phone = null,
    } = order ?? {}
    const about = { at, clockAheadMs: ahead, kind, type: order === null ? 'outcome' : 'order', key } as const
    const what = { amount, businessId, reference, paymentKey, phone, status }
    const decided = known === null && decision !== null
    const answer = { key, ...(decision ?? { status }) }
    const code = isSigned ? ({ unknown: 404, expired: 410 }[status as string] ?? 200) : 401
    const did = await say(res, chance.weighted({ ...usual }), code, answer)
    record.provider({ ...about, ...what, decided, did })
  }

  async function say(
    res: ServerResponse,
    way: ProviderBehaviour,
    code: number,
    answer: object,
  ): Promise<ProviderRequest['did']> {
    const how = behaviour ?? way
    if (how === 'reset') res.socket?.resetAndDestroy()
    if (how === 'reset') return 'reset'
    if (how === 'hang') await linger(res, lateMs)
    if (res.destroyed) return 'hung'
    const status = how === 'error' ? 502 : code
    res.writeHead(status, { 'Content-Type': 'application/json' })
    res.end(how === 'error' ? 'bad gateway' : JSON.stringify(answer))
    return how === 'hang' ? 'slow' : status
  }

  return {
    wallets,
    receive,
    behave(next: ProviderBehaviour | null): void {
      behaviour = next
    },
  }
}

function signatureOf({ headers, method, url }: IncomingMessage, body: string): string {
  const timestamp = String(headers['x-wallet-timestamp'])
  const hmac = createHmac('sha256', providerKey).update(`${timestamp}\n${method}\n${url}\n${body}`)
  return `sha256=${hmac.digest('hex')}`
}
