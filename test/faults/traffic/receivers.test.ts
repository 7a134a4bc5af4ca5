import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Arrival, files, type ProviderRequest } from '../evidence/evidence.ts'
import { manners } from './manners.ts'
import { providerKey } from './provider.ts'
import { openReceivers, type Receivers } from './receivers.ts'

describe('The receivers of a run of faults', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receivers-'))
  const linesOf = <Line>(file: string): Line[] =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
  let receivers: Receivers
  let closed = false
  before(async () => {
    receivers = await openReceivers({ seed: 1, folder, clockAheadMs: () => 0 })
    receivers.wallets.set('36000000', { phone: '36000000', pin: '123456', balance: 100 })
    receivers.behaveProvider('ok')
  })
  after(async () => {
    if (!closed) await receivers.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What whoever posts there gets: a status, or nothing that is an answer. */
  async function post(name: string, id: string): Promise<number | null> {
    const body = JSON.stringify({ id, event: 'payment.created' })
    const signal = AbortSignal.timeout(1500)
    try {
      const got = await fetch(receivers.origin + name, { method: 'POST', body, signal, redirect: 'manual' })
      await got.arrayBuffer()
      return got.status
    } catch {
      return null
    }
  }

  const signed = (method: string, path: string, body: string): Record<string, string> => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const hmac = createHmac('sha256', providerKey).update(`${timestamp}\n${method}\n${path}\n${body}`)
    return { 'X-Wallet-Timestamp': timestamp, 'X-Wallet-Signature': `sha256=${hmac.digest('hex')}` }
  }

  async function order(fields: object): Promise<unknown> {
    const body = JSON.stringify({ validUntil: new Date(Date.now() + 60_000), ...fields })
    const path = '/wallet/v1/payments'
    const got = await fetch(receivers.origin + path, {
      method: 'POST',
      body,
      headers: signed('POST', path, body),
    })
    return got.json()
  }

  it('carry an order out once, and never more than there is', async () => {
    const first = { key: 'k1', amount: 60, phone: '36000000', pin: '123456' }
    expect(await order(first)).to.include({ status: 'succeeded' })
    expect(await order(first)).to.include({ status: 'succeeded' })
    expect(await order({ ...first, key: 'k2' })).to.include({ status: 'declined' })
    expect(await order({ ...first, key: 'k3', pin: '000000' })).to.include({ status: 'refused' })
    expect(await order({ ...first, key: 'k4', validUntil: new Date(0) })).to.include({ status: 'expired' })
    expect(receivers.wallets.get('36000000')).to.include({ balance: 40 })
  })

  it('lose no answer of the wallet provider once all are calm', async () => {
    receivers.behaveProvider('error')
    receivers.calm()
    const path = '/wallet/v1/payments/k1'
    const asked = Array.from({ length: 100 }, () =>
      fetch(receivers.origin + path, { headers: signed('GET', path, '') }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(new Set(statuses)).to.deep.equal(new Set([200]))
  })

  it('meet each delivery as they were told, and write down what they did', async () => {
    const got = await Promise.all(
      manners.map((manner, index) => {
        const name = receivers.names[index] ?? ''
        receivers.behave(name, manner)
        return post(name, `delivery-${manner}`)
      }),
    )
    await receivers.close()
    closed = true
    const arrivals = linesOf<Arrival>(files.arrivals)
    for (const [index, manner] of manners.entries()) {
      const [arrival, ...more] = arrivals.filter(({ path }) => path === receivers.names[index])
      expect(more, manner).to.deep.equal([])
      expect(arrival?.body, manner).to.include(`"delivery-${manner}"`)
      const did = typeof arrival?.did === 'number' ? arrival.did : null
      expect(did, manner).to.equal(got[index])
    }
    const decided = linesOf<ProviderRequest>(files.provider)
      .filter(({ type }) => type === 'order')
      .map(({ key, decided: is, status }) => [key, is, status])
    expect(decided).to.deep.equal([
      ['k1', true, 'succeeded'],
      ['k1', false, 'succeeded'],
      ['k2', true, 'declined'],
      ['k3', true, 'refused'],
      ['k4', false, 'expired'],
    ])
  })
})
