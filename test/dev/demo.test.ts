import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type EndpointServer, startEndpointServer } from '../../dev/demo/endpoint-server.ts'
import { subscribed } from '../../dev/demo/webhook-event.ts'
import { events } from '../../schemas/events.ts'
import { signedHeaders } from '../../src/webhooks/attempts/sign.ts'

const secret = randomBytes(32).toString('hex')
const body = JSON.stringify({ id: 'd1', event: 'payment.created', data: { amount: 50_000 } })
const longAgo = new Date(Date.now() - 301_000)

describe('The endpoint server of the demo', () => {
  let merchant: EndpointServer

  beforeEach(async () => {
    merchant = await startEndpointServer()
    merchant.useSecret(secret)
  })
  afterEach(() => merchant.close())

  const told = async (text: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(merchant.url, { method: 'POST', headers, body: text })).status
  const signed = (key: string, at: Date) => signedHeaders('Service', [key], 'payment.created', body, at)

  it('subscribes to every event', () => {
    expect(subscribed).to.have.members(Object.keys(events))
  })

  it('accepts what the service signs', async () => {
    expect(await told(body, signed(secret, new Date()))).to.equal(200)
  })

  it('refuses a changed body, another secret, an old timestamp and a missing signature', async () => {
    expect(await told(body.replace('50000', '1'), signed(secret, new Date()))).to.equal(401)
    expect(await told(body, signed(randomBytes(32).toString('hex'), new Date()))).to.equal(401)
    expect(await told(body, signed(secret, longAgo))).to.equal(401)
    expect(await told(body, {})).to.equal(401)
  })

  it('handles an id once, and not before it returned 200 for it', async () => {
    merchant.failNext('payment.created')
    const answers: number[] = []
    for (let times = 0; times < 3; times++) answers.push(await told(body, signed(secret, new Date())))
    expect(answers).to.deep.equal([500, 200, 200])
    expect(merchant.arrivals.map(({ handledBefore }) => handledBefore)).to.deep.equal([false, false, true])
  })
})
