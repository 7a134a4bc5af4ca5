import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Chance } from '../../support/chance.ts'
import { type Kind, type Order, openBooks, signatureOf } from '../../support/provider-books.ts'
import type { ProviderRequest, Recording, Setting } from '../evidence/evidence.ts'
import { linger } from './behaviours.ts'

export const providerPath = '/wallet/v1'
export const providerKey = 'the-key-of-the-runs-of-faults-32-or-more'
const usual = { ok: 90, error: 3, reset: 4, hang: 3 }
export const providerBehaviours: readonly string[] = Object.keys(usual)
const lateMs = 2500
const isRefundRefused = (amount: number): boolean => amount % 50 === 13

/** Follows docs/operators/wallet-provider.md, independently of the service's own code. */
export function openProvider(chance: Chance, record: Recording, clockAheadMs: () => number) {
  const wallets = new Map<string, Setting['wallets'][number]>()
  const books = openBooks(wallets, isRefundRefused)
  let behaviour: string | null = null
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [at, ahead] = [Date.now(), clockAheadMs()]
    const { method = '', url: path = '', headers } = req
    const body = await text(req)
    const [, noun, keyOfPath = ''] = path.slice(providerPath.length).split('/')
    const kind: Kind = noun === 'payments' ? 'payment' : 'refund'
    const order = method === 'POST' ? (JSON.parse(body) as Order) : null
    const key = order?.key ?? decodeURIComponent(keyOfPath)
    const known = books.find(kind, key)
    const signature = signatureOf(providerKey, { headers, method, path, body })
    const isSigned = headers['x-wallet-signature'] === signature
    const decision = order === null || !isSigned ? known : books.decide(kind, order, at + ahead)
    const status = decision?.status ?? (order === null ? 'unknown' : 'expired')
    const amount = order && order.amount + order.fee
    const { businessId = null, reference = null, paymentKey = null, phone = null } = order ?? {}
    const about = { at, clockAheadMs: ahead, kind, type: order === null ? 'outcome' : 'order', key } as const
    const what = { amount, businessId, reference, paymentKey, phone, status }
    const decided = known === null && decision !== null
    const code = isSigned ? ({ unknown: 404, expired: 410 }[status as string] ?? 200) : 401
    const did = await respond(res, code, { key, ...(decision ?? { status }) })
    record.provider({ ...about, ...what, decided, did })
  }
  async function respond(res: ServerResponse, code: number, body: object): Promise<ProviderRequest['did']> {
    const usually = chance.weighted(usual)
    const how = behaviour ?? usually
    if (how === 'reset') res.socket?.resetAndDestroy()
    if (how === 'reset') return 'reset'
    if (how === 'hang') await linger(res, lateMs)
    if (res.destroyed) return 'hung'
    const status = how === 'error' ? 502 : code
    res.writeHead(status, { 'Content-Type': 'application/json' })
    res.end(how === 'error' ? 'bad gateway' : JSON.stringify(body))
    return how === 'hang' ? 'slow' : status
  }
  return {
    wallets,
    receive,
    behave: (next: string | null) => void (behaviour = next),
  }
}
