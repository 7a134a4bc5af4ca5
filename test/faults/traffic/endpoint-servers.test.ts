import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Arrival, files } from '../evidence/evidence.ts'
import { behaviours } from './behaviours.ts'
import { type EndpointServers, hookName, openEndpointServers } from './endpoint-servers.ts'
import { providerKey } from './provider.ts'

describe('The simulated servers in the fault runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endpointServers-'))
  let endpointServers: EndpointServers
  before(async () => {
    endpointServers = await openEndpointServers({ seed: 1, folder, clockAheadMs: () => 0 })
    endpointServers.wallets.set('36000000', { phone: '36000000', pin: '123456', balance: 100 })
    endpointServers.calm()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  async function order(fields: object): Promise<unknown> {
    const body = JSON.stringify({ validUntil: new Date(Date.now() + 60_000), ...fields })
    const path = '/wallet/v1/payments'
    const timestamp = String(Math.floor(Date.now() / 1000))
    const hmac = createHmac('sha256', providerKey).update(`${timestamp}\nPOST\n${path}\n${body}`)
    const headers = { 'X-Wallet-Timestamp': timestamp, 'X-Wallet-Signature': `sha256=${hmac.digest('hex')}` }
    return (await fetch(endpointServers.origin + path, { method: 'POST', body, headers })).json()
  }

  it('carry out a wallet order only once, and never for more than the balance', async () => {
    const first = { key: 'k1', amount: 59, fee: 1, phone: '36000000', pin: '123456' }
    expect(await order(first)).to.include({ status: 'succeeded' })
    expect(await order(first)).to.include({ status: 'succeeded' })
    expect(await order({ ...first, key: 'k2' })).to.include({ status: 'declined' })
    expect(await order({ ...first, key: 'k3', pin: '000000' })).to.include({ status: 'refused' })
    expect(await order({ ...first, key: 'k4', validUntil: new Date(0) })).to.include({ status: 'expired' })
    expect(endpointServers.wallets.get('36000000')).to.include({ balance: 40 })
  })

  it('behave as configured, and record what they have done', async () => {
    const statuses = await Promise.all(
      Object.keys(behaviours).map(async (behaviour, index) => {
        const name = hookName(0, index) ?? ''
        endpointServers.behave(name, behaviour)
        const body = JSON.stringify({ id: `delivery-${behaviour}`, event: 'payment.created' })
        const signal = AbortSignal.timeout(1500)
        const sent = fetch(endpointServers.origin + name, {
          method: 'POST',
          body,
          signal,
          redirect: 'manual',
        })
        return sent.then((got) => got.arrayBuffer().then(() => got.status)).catch(() => null)
      }),
    )
    await endpointServers.close()
    const lines = readFileSync(join(folder, files.arrivals), 'utf8').split('\n').filter(Boolean)
    const arrivals = lines.map((line) => JSON.parse(line) as Arrival)
    for (const [index, behaviour] of Object.keys(behaviours).entries()) {
      const [arrival, ...more] = arrivals.filter(({ path }) => path === hookName(0, index))
      expect(more, behaviour).to.deep.equal([])
      expect(arrival?.body, behaviour).to.include(`"delivery-${behaviour}"`)
      expect(typeof arrival?.did === 'number' ? arrival.did : null, behaviour).to.equal(statuses[index])
    }
  })
})
